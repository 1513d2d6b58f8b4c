import type { FetchSettings } from "./fetch-settings.ts";
import type { ExpectedFile } from "./verified-file.ts";

/** A file to be brought from somewhere. */
export interface FetchJob {
  /** Where the file will lie once it is verified; what is on its way goes beside it. */
  readonly target: string;
  readonly settings: FetchSettings;
  readonly onReceived: (receivedBytes: number) => void;
  /** All bytes are here, and only their checksum is still being computed. */
  readonly onWhole: () => void;
  readonly signal: AbortSignal;
}

/** One that is known beforehand, at an address. */
export interface DownloadJob extends FetchJob, ExpectedFile {
  readonly url: string;
}

/** A file that is whole and not yet compared with what it should be. */
export interface ArrivedFile {
  readonly path: string;
  /** Of its bytes as they lie on the disk. */
  readonly sha256: string;
}
