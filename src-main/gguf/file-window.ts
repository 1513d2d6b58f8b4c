import { closeSync, openSync, readSync, statSync } from "node:fs";

const windowBytes = 1 << 20;
const decoder = new TextDecoder();

/** What the file says cannot be true; the message is a clause that fits after "because". */
export class GgufError extends Error {
  override readonly name = "GgufError";
}

/**
 * Reads little-endian values one after another from the start of a file, through a window of a megabyte. Reading past
 * the end throws GgufError. Synchronous on purpose: the engine's one worker thread may be busy with a decode.
 */
export class FileWindow implements Disposable {
  readonly sizeBytes: number;
  readonly #file: number;
  #window: Buffer = Buffer.alloc(0);
  #windowStart = 0;
  #position = 0;

  constructor(path: string) {
    const status = statSync(path);
    // Opening a pipe would wait for its writer.
    if (!status.isFile()) throw new GgufError(status.isDirectory() ? "it is a folder" : "it is not a file");
    this.sizeBytes = status.size;
    this.#file = openSync(path, "r");
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  get position(): number {
    return this.#position;
  }

  get remainingBytes(): number {
    return this.sizeBytes - this.#position;
  }

  skip(sizeBytes: number): void {
    if (sizeBytes > this.remainingBytes)
      throw new GgufError("it is incomplete or damaged: it ends in the middle of its header");
    this.#position += sizeBytes;
  }

  u8(): number {
    return this.#take(1).readUInt8();
  }

  i8(): number {
    return this.#take(1).readInt8();
  }

  u16(): number {
    return this.#take(2).readUInt16LE();
  }

  i16(): number {
    return this.#take(2).readInt16LE();
  }

  u32(): number {
    return this.#take(4).readUInt32LE();
  }

  i32(): number {
    return this.#take(4).readInt32LE();
  }

  f32(): number {
    return this.#take(4).readFloatLE();
  }

  f64(): number {
    return this.#take(8).readDoubleLE();
  }

  /** Above 2^53 it is not exact; sizes that large are refused where they are used, since no file has them. */
  u64(): number {
    return Number(this.#take(8).readBigUInt64LE());
  }

  i64(): number {
    return Number(this.#take(8).readBigInt64LE());
  }

  /** Text with its length before it. */
  text(): string {
    return decoder.decode(this.#take(this.u64()));
  }

  /** The bytes stay valid until the next read. */
  #take(sizeBytes: number): Buffer {
    if (sizeBytes > this.remainingBytes)
      throw new GgufError("it is incomplete or damaged: it ends in the middle of its header");
    const from = this.#position - this.#windowStart;
    this.#position += sizeBytes;
    if (from >= 0 && from + sizeBytes <= this.#window.length) return this.#window.subarray(from, from + sizeBytes);
    this.#windowStart = this.#position - sizeBytes;
    this.#window = this.#read(this.#windowStart, Math.max(sizeBytes, windowBytes));
    return this.#window.subarray(0, sizeBytes);
  }

  #read(start: number, wantedBytes: number): Buffer {
    const buffer = Buffer.alloc(Math.min(wantedBytes, this.sizeBytes - start));
    let filled = 0;
    while (filled < buffer.length) {
      const received = readSync(this.#file, buffer, filled, buffer.length - filled, start + filled);
      if (received === 0) throw new GgufError("it became shorter while it was read");
      filled += received;
    }
    return buffer;
  }
}
