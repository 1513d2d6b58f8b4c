/**
 * SHA-256 of a file that is being written in pieces: it follows what is whole from the beginning, reading back what was
 * written (still in the system's cache, or what an earlier process had brought), so that little is left to do at the end.
 */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";

const pieceBytes = 2 ** 20;

export class PrefixHash {
  readonly #file: FileHandle;
  readonly #hash = createHash("sha256");
  readonly #piece = Buffer.allocUnsafe(pieceBytes);
  #hashedBytes = 0;
  #wholeBytes = 0;
  #reading: Promise<void> | null = null;
  #failure: { readonly caught: unknown } | null = null;
  #stopped = false;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** All bytes before `wholeBytes` are written, and will not be written again. */
  advance(wholeBytes: number): void {
    this.#wholeBytes = Math.max(this.#wholeBytes, wholeBytes);
    if (this.#failure !== null || this.#reading !== null || this.#hashedBytes === this.#wholeBytes) return;
    this.#reading = this.#follow()
      .catch((caught: unknown) => {
        this.#failure = { caught };
      })
      .finally(() => {
        this.#reading = null;
      });
  }

  /**
   * Of all that is whole, in lower-case hexadecimal; once. Throws the file system's error where reading failed, or the
   * signal's reason.
   */
  async digest(signal: AbortSignal): Promise<string> {
    const stop = () => {
      this.#stopped = true;
    };
    signal.addEventListener("abort", stop, { once: true });
    try {
      while (this.#failure === null && this.#hashedBytes < this.#wholeBytes) {
        signal.throwIfAborted();
        this.advance(this.#wholeBytes);
        await this.#reading;
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
    if (this.#failure !== null) throw this.#failure.caught;
    return this.#hash.digest("hex");
  }

  /** Resolves when the file is not read any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#reading;
  }

  async #follow(): Promise<void> {
    while (this.#hashedBytes < this.#wholeBytes && !this.#stopped) {
      const wanted = Math.min(pieceBytes, this.#wholeBytes - this.#hashedBytes);
      const { bytesRead } = await this.#file.read(this.#piece, 0, wanted, this.#hashedBytes);
      if (bytesRead === 0) throw new Error("the file is shorter than what was written to it");
      this.#hash.update(this.#piece.subarray(0, bytesRead));
      this.#hashedBytes += bytesRead;
    }
  }
}
