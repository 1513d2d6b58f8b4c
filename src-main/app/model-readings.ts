/**
 * What was found in model files, kept as long as a file stays the same, also over a restart. One file at a time is read;
 * what was found is saved for many at once, since every save waits for the disk.
 */
import { toRepriseError, type RepriseError } from "../contract/errors.ts";
import { modelUnusable } from "../contract/model-errors.ts";
import type { ModelFacts } from "../contract/model-library.ts";
import { stampKey, type FileStamp } from "./file-stamp.ts";
import type { ModelFactsStore, ModelReader } from "./ports.ts";

/** `facts` is `null` where the file could not be read. */
export interface Reading {
  readonly facts: ModelFacts | null;
  readonly problem: RepriseError | null;
}

export const nothingRead: Reading = { facts: null, problem: null };

interface Dependencies {
  readonly reader: Pick<ModelReader, "read">;
  readonly store: ModelFactsStore;
  /** What was found could not be kept; it is used all the same. */
  readonly onTrouble: (error: RepriseError) => void;
}

const savedAtOnce = 64;

export class ModelReadings {
  readonly #parts: Dependencies;
  readonly #known = new Map<string, Reading>();
  readonly #asked = new Map<string, Promise<Reading>>();
  #unsaved: { file: FileStamp; facts: ModelFacts }[] = [];
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** `null` where it was not read yet, or could not be read. */
  known(file: FileStamp): Reading | null {
    const key = stampKey(file);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { facts } = this.#parts.store.find(file);
    if (facts === null) return null;
    const reading = { facts, problem: problemOf(file, facts) };
    this.#known.set(key, reading);
    return reading;
  }

  /** Never rejects: what is wrong with the file is the result. */
  of(file: FileStamp): Promise<Reading> {
    const key = stampKey(file);
    const known = this.known(file);
    if (known !== null) return Promise.resolve(known);
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    const reading = this.#last.then(() => this.#read(file));
    this.#last = reading;
    this.#asked.set(key, reading);
    return reading;
  }

  /** Saves what has been found; what is found later is not kept. */
  close(): void {
    this.#save();
    this.#isClosed = true;
  }

  async #read(file: FileStamp): Promise<Reading> {
    const key = stampKey(file);
    const reading = await this.#parts.reader.read(file.path).then(
      (facts): Reading => ({ facts, problem: problemOf(file, facts) }),
      (caught: unknown): Reading => ({ facts: null, problem: toRepriseError(caught) }),
    );
    this.#asked.delete(key);
    if (reading.facts !== null) {
      this.#known.set(key, reading);
      this.#unsaved.push({ file, facts: reading.facts });
    }
    if (this.#asked.size === 0 || this.#unsaved.length >= savedAtOnce) this.#save();
    return reading;
  }

  #save(): void {
    const unsaved = this.#unsaved;
    this.#unsaved = [];
    if (unsaved.length === 0 || this.#isClosed) return;
    try {
      this.#parts.store.setFacts(unsaved);
    } catch (caught) {
      this.#parts.onTrouble(toRepriseError(caught));
    }
  }
}

function problemOf({ path }: FileStamp, { reason }: ModelFacts): RepriseError | null {
  return reason === null ? null : modelUnusable(path, reason);
}
