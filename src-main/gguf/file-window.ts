import { closeSync, openSync, readSync, statSync } from "node:fs";

/** Fits into a processor's second cache: a vocabulary is walked through twice as fast as with a megabyte. */
const windowBytes = 256 << 10;
/** Real headers take a few dozen megabytes. Reading one that lies must end soon: answers wait meanwhile. */
const mostBytes = 256 << 20;
const mostTextBytes = 64 << 20;
const lengthBytes = 8;
const decoder = new TextDecoder();

/** What the file says cannot be true; the message is a clause that fits after "because". */
export class GgufError extends Error {
  override readonly name = "GgufError";
}

/**
 * Reads little-endian values one after another from the start of a file, through one window of memory. Reading past
 * the end, or further than any header reaches, throws GgufError. Synchronous on purpose: the engine's one worker thread
 * may be busy with a decode.
 */
export class FileWindow implements Disposable {
  readonly sizeBytes: number;
  readonly #file: number;
  readonly #memory: Buffer;
  readonly #view: DataView;
  #windowStart = 0;
  #windowEnd = 0;
  #position = 0;

  constructor(path: string) {
    const status = statSync(path);
    // Opening a pipe would wait for its writer.
    if (!status.isFile()) throw new GgufError(status.isDirectory() ? "it is a folder" : "it is not a file");
    this.sizeBytes = status.size;
    this.#memory = Buffer.allocUnsafeSlow(Math.min(windowBytes, Math.max(8, status.size)));
    this.#view = new DataView(this.#memory.buffer);
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
    this.#check(sizeBytes);
    this.#position += sizeBytes;
  }

  /** Passes over texts with their lengths before them: vocabularies have hundreds of thousands. */
  skipTexts(count: number): void {
    for (let left = count; left > 0;) {
      this.#take(lengthBytes);
      const start = this.#position - lengthBytes;
      const filled = this.#windowEnd - this.#windowStart - lengthBytes;
      let at = start - this.#windowStart;
      for (; left > 0 && at <= filled; left -= 1) {
        at += lengthBytes + this.#view.getUint32(at, true) + this.#view.getUint32(at + 4, true) * 2 ** 32;
      }
      this.#position = start;
      this.skip(this.#windowStart + at - start);
    }
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
    return decoder.decode(this.#takeText());
  }

  /** A text's bytes, as characters of one byte each: several times as fast. */
  bytes(): string {
    return this.#takeText().toString("latin1");
  }

  #takeText(): Buffer {
    const sizeBytes = this.u64();
    if (sizeBytes > mostTextBytes) throw new GgufError("its header holds a text larger than that of any model");
    return this.#take(sizeBytes);
  }

  /** The bytes stay valid until the next read. */
  #take(sizeBytes: number): Buffer {
    this.#check(sizeBytes);
    const start = this.#position;
    this.#position += sizeBytes;
    if (sizeBytes > this.#memory.length) return this.#read(Buffer.allocUnsafeSlow(sizeBytes), start);
    if (start < this.#windowStart || this.#position > this.#windowEnd) {
      this.#windowEnd = start;
      this.#windowStart = start;
      const window = this.#memory.subarray(0, Math.min(this.#memory.length, this.sizeBytes - start));
      this.#windowEnd = start + this.#read(window, start).length;
    }
    return this.#memory.subarray(start - this.#windowStart, this.#position - this.#windowStart);
  }

  #check(sizeBytes: number): void {
    if (sizeBytes > this.remainingBytes)
      throw new GgufError("it is incomplete or damaged: it ends in the middle of its header");
    if (this.#position + sizeBytes > mostBytes) throw new GgufError("its header is larger than that of any model");
  }

  #read(buffer: Buffer, start: number): Buffer {
    let filled = 0;
    while (filled < buffer.length) {
      const received = readSync(this.#file, buffer, filled, buffer.length - filled, start + filled);
      if (received === 0) throw new GgufError("it became shorter while it was read");
      filled += received;
    }
    return buffer;
  }
}
