import { createHash, type Hash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";

const stepBytes = 8 << 20;
const readBytes = 1 << 20;

/** SHA-256 of a file in steps of a few hundredths of a second, so that whoever takes them can stop in between. */
export class HashSteps implements Disposable {
  readonly #file: number;
  readonly #hash: Hash = createHash("sha256");
  readonly #buffer = Buffer.alloc(readBytes);

  /** Throws the system's error. */
  constructor(path: string) {
    this.#file = openSync(path, "r");
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  /** In lower-case hexadecimal once the end is reached, else `null`. Throws the system's error. */
  next(): string | null {
    for (let done = 0; done < stepBytes;) {
      const received = readSync(this.#file, this.#buffer, 0, readBytes, null);
      if (received === 0) return this.#hash.digest("hex");
      this.#hash.update(this.#buffer.subarray(0, received));
      done += received;
    }
    return null;
  }
}
