/**
 * What the engine found in model files, kept as long as a file stays the same. One file at a time: headers are read
 * by the same worker that decodes.
 */
import { RepriseError, toRepriseError } from "../contract/errors.ts";
import type { GgufSummary } from "../contract/model.ts";
import { stampKey, type FileStamp } from "./file-stamp.ts";

export interface Inspection {
  readonly summary: GgufSummary | null;
  readonly problem: RepriseError | null;
}

export class ModelInspections {
  readonly #inspect: (path: string) => Promise<GgufSummary>;
  readonly #known = new Map<string, Inspection>();
  readonly #asked = new Map<string, Promise<Inspection>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(inspect: (path: string) => Promise<GgufSummary>) {
    this.#inspect = inspect;
  }

  known(file: FileStamp): Inspection | null {
    return this.#known.get(stampKey(file)) ?? null;
  }

  /** Never rejects: what is wrong with the file is the result. */
  of(file: FileStamp): Promise<Inspection> {
    const key = stampKey(file);
    const known = this.#known.get(key);
    if (known !== undefined) return Promise.resolve(known);
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    const inspection = this.#last.then(() => this.#look(file));
    this.#last = inspection;
    this.#asked.set(key, inspection);
    return inspection;
  }

  async #look(file: FileStamp): Promise<Inspection> {
    const inspection = await this.#inspectTwice(file.path).then(
      (summary): Inspection => ({ summary, problem: null }),
      (caught: unknown): Inspection => ({ summary: null, problem: toRepriseError(caught) }),
    );
    const key = stampKey(file);
    this.#asked.delete(key);
    // Closing the app says nothing about the file.
    if (inspection.problem?.code !== "ENGINE_STOPPED") this.#known.set(key, inspection);
    return inspection;
  }

  /** The engine may have been killed for another reason while it read this file; twice in a row is the file's fault. */
  async #inspectTwice(path: string): Promise<GgufSummary> {
    try {
      return await this.#inspect(path);
    } catch (error) {
      if (error instanceof RepriseError && error.code === "ENGINE_CRASHED") return this.#inspect(path);
      throw error;
    }
  }
}
