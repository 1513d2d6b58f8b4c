/**
 * SHA-256 of model files, computed in the background: one file at a time, in short steps with as long a rest after each,
 * and none while an answer is being written. Kept as long as a file stays the same.
 */
import { setTimeout as delay } from "node:timers/promises";
import { abortable } from "./abortable.ts";
import { stampFile, stampKey, type FileStamp } from "./file-stamp.ts";
import type { ModelFactsStore, ModelReader } from "./ports.ts";

interface Dependencies {
  readonly reader: Pick<ModelReader, "hashStep">;
  readonly store: ModelFactsStore;
  /** Resolves when no answer is being written. */
  readonly quiet: () => Promise<void>;
  readonly onHashed: () => void;
}

export class FileHashes {
  readonly #parts: Dependencies;
  readonly #known = new Map<string, string>();
  /** A file that could not be read is tried again after the next start. */
  readonly #failed = new Set<string>();
  readonly #closing = new AbortController();
  #wanted: readonly FileStamp[] = [];
  #running: Promise<void> | null = null;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  known(file: FileStamp): string | null {
    const key = stampKey(file);
    const known = this.#known.get(key) ?? this.#parts.store.find(file).sha256;
    if (known !== null) this.#known.set(key, known);
    return known;
  }

  /** Those whose hash is to be computed; files that are wanted no longer are left where they are. */
  want(files: readonly FileStamp[]): void {
    this.#wanted = inOrder(files.filter((file) => this.known(file) === null && !this.#failed.has(stampKey(file))));
    if (!this.#isClosing) this.#running ??= Promise.resolve().then(() => this.#run());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let file = this.#wanted[0]; file !== undefined && !this.#isClosing; file = this.#wanted[0]) {
      this.#wanted = this.#wanted.slice(1);
      if (this.known(file) === null) await this.#hash(file).catch(() => this.#failed.add(stampKey(file)));
    }
    // In the same breath: what is wanted from now on begins anew.
    this.#running = null;
  }

  async #hash(file: FileStamp): Promise<void> {
    let sha256: string | null = null;
    for (let isFirst = true; sha256 === null; isFirst = false) {
      await abortable(this.#parts.quiet(), this.#closing.signal);
      const startedMs = performance.now();
      sha256 = await abortable(this.#parts.reader.hashStep(file.path, isFirst), this.#closing.signal);
      const rest = performance.now() - startedMs;
      await delay(rest, undefined, { signal: this.#closing.signal }).catch(() => undefined);
    }
    const isSame = stampKey(await stampFile(file.path)) === stampKey(file);
    if (!isSame || this.#isClosing) return;
    this.#known.set(stampKey(file), sha256);
    this.#parts.store.setSha256(file, sha256);
    this.#parts.onHashed();
  }

  get #isClosing(): boolean {
    return this.#closing.signal.aborted;
  }
}

/** What may be the same file comes first, then small ones. */
function inOrder(files: readonly FileStamp[]): FileStamp[] {
  const sizes = Map.groupBy(files, ({ sizeBytes }) => sizeBytes);
  const isAlone = ({ sizeBytes }: FileStamp) => Number(sizes.get(sizeBytes)?.length === 1);
  return files.toSorted((one, other) => isAlone(one) - isAlone(other) || one.sizeBytes - other.sizeBytes);
}
