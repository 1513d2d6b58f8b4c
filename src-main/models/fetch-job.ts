import type { PublishedModelFile } from "./default-model-file.ts";
import type { FetchSettings } from "./fetch-settings.ts";

/** One file to be brought from one source. */
export interface FetchJob {
  readonly file: PublishedModelFile;
  /** Where the file will lie once it is verified; what is on its way goes beside it. */
  readonly target: string;
  readonly settings: FetchSettings;
  readonly onReceived: (receivedBytes: number) => void;
  readonly signal: AbortSignal;
}
