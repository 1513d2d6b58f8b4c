/**
 * Model files that brought the engine down. It owns which they are: at once where that was while they were loaded, and
 * after two answers in a row else, since one crash may have had another cause. They stay until the user retries them or
 * the file changes.
 */
import { RepriseError, toRepriseError } from "../contract/errors.ts";
import { stampKey, type FileStamp } from "./file-stamp.ts";
import { fileNameOf } from "./model-locator.ts";
import type { QuarantineStore } from "./ports.ts";

/** Each a process of its own: one crash fails every answer that was running. */
const answersAllowed = 2;

export class Quarantine {
  readonly #store: QuarantineStore;
  readonly #onTrouble: (error: RepriseError) => void;
  /** Of the files that crashed during an answer since their last whole one: in which engines. */
  readonly #crashes = new Map<string, Set<number>>();
  readonly #listeners: (() => void)[] = [];

  /** `onTrouble`: told where the store fails, which must not stand in the way of anything else. */
  constructor(store: QuarantineStore, onTrouble: (error: RepriseError) => void) {
    this.#store = store;
    this.#onTrouble = onTrouble;
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Why a file is not loaded; `null` for any other. */
  problemOf(file: FileStamp): RepriseError<"MODEL_QUARANTINED"> | null {
    const found = this.#attempt(() => this.#store.get(file.path)) ?? null;
    return found?.stamp === stampKey(file) ? quarantined(file.path, found.cause) : null;
  }

  crashedWhileLoading(file: FileStamp, cause: string): void {
    this.#crashes.delete(stampKey(file));
    this.#attempt(() => {
      this.#store.add({ path: file.path, stamp: stampKey(file), cause });
    });
    this.#tell();
  }

  /** `processId`: of the engine that ended. */
  crashedInUse(file: FileStamp, cause: string, processId: number): void {
    const engines = this.#crashes.get(stampKey(file)) ?? new Set();
    this.#crashes.set(stampKey(file), engines.add(processId));
    if (engines.size >= answersAllowed) this.crashedWhileLoading(file, cause);
  }

  worked(file: FileStamp): void {
    this.#crashes.delete(stampKey(file));
  }

  /** It may be loaded again. */
  release(path: string): void {
    this.#store.release(path);
    this.#tell();
  }

  #attempt<T>(access: () => T): T | undefined {
    try {
      return access();
    } catch (caught) {
      this.#onTrouble(toRepriseError(caught));
      return undefined;
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function quarantined(path: string, cause: string): RepriseError<"MODEL_QUARANTINED"> {
  const sentence = `${fileNameOf(path)} is not loaded, because the engine stopped over it the last time: ${cause}. The file was left as it is; retry it from the list of models, or choose another.`;
  return new RepriseError("MODEL_QUARANTINED", sentence, { path, cause });
}
