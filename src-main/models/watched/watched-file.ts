import type { ModelSource } from "../../contract/model.ts";

/** A model file of another program, or of a folder the user has watched. Never changed. */
export interface WatchedFile {
  readonly path: string;
  readonly source: ModelSource;
  /** Of all parts together. */
  readonly sizeBytes: number;
  /** What the program calls it, where the file's name says nothing; `null` where that will do. */
  readonly name: string | null;
}
