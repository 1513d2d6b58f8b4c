/**
 * A download that is not whole yet, and beside it what is known of it: which bytes are there, of which file, and what
 * the server called the version they belong to. Both survive a crash, so that the next try asks only for the rest.
 */
import { open, readFile, rename, rm, stat, writeFile, type FileHandle } from "node:fs/promises";
import { z } from "zod";
import { byteRangeSchema, coveredBytes, missingRanges, prefixBytes, withRange, type ByteRange } from "./byte-ranges.ts";
import { PrefixHash } from "./prefix-hash.ts";
import { isMissing } from "./storage-trouble.ts";
import type { ExpectedFile } from "./verified-file.ts";

const recordSchema = z.object({
  /** Where it came from; for whoever finds the file. */
  url: z.string(),
  sizeBytes: z.int(),
  sha256: z.string(),
  /** The server's name of the version (a strong entity tag); `null` where it named none that can be relied on. */
  tag: z.string().nullable(),
  done: z.array(byteRangeSchema),
});
type PartialRecord = z.infer<typeof recordSchema>;

const dataPath = (target: string) => `${target}.part`;
const recordPath = (target: string) => `${target}.part.json`;

/** How much of the expected file is there already; 0 where what is there is of another one. */
export async function partialBytes(target: string, expected: ExpectedFile): Promise<number> {
  return coveredBytes((await readRecord(target, expected))?.done ?? []);
}

/** Forgets what has arrived of the file that was to lie at `target`. */
export async function discardPartial(target: string): Promise<void> {
  await rm(recordPath(target), { force: true });
  await rm(dataPath(target), { force: true });
}

interface Options extends ExpectedFile {
  /** Where the file will be when it is whole. */
  readonly target: string;
  readonly url: string;
  /** New bytes after which the record is written again. */
  readonly recordEveryBytes: number;
}

export class PartialFile implements AsyncDisposable {
  readonly path: string;
  readonly #options: Options;
  readonly #file: FileHandle;
  #hash: PrefixHash;
  #tag: string | null;
  #done: readonly ByteRange[];
  #unrecordedBytes = 0;
  #recording: Promise<void> = Promise.resolve();

  private constructor(options: Options, file: FileHandle, record: PartialRecord | null) {
    this.path = dataPath(options.target);
    this.#options = options;
    this.#file = file;
    this.#hash = new PrefixHash(file);
    this.#tag = record?.tag ?? null;
    this.#done = record?.done ?? [];
    this.#hash.advance(prefixBytes(this.#done));
  }

  /** What an earlier try brought of the same file is kept, anything else under its name is not. */
  static async open(options: Options): Promise<PartialFile> {
    const { target } = options;
    const record = await readRecord(target, options);
    if (record !== null) return new PartialFile(options, await open(dataPath(target), "r+"), record);
    await rm(recordPath(target), { force: true });
    return new PartialFile(options, await open(dataPath(target), "w+"), null);
  }

  /** The version of the bytes that are there; without one, no rest can be asked for. */
  get tag(): string | null {
    return this.#tag;
  }

  get doneBytes(): number {
    return coveredBytes(this.#done);
  }

  get isWhole(): boolean {
    return this.doneBytes === this.#options.sizeBytes;
  }

  missing(): ByteRange[] {
    return missingRanges(this.#done, this.#options.sizeBytes);
  }

  /** Forgets what is there; what is written from now on is of the version named `tag`. Returns it where it can be relied on. */
  async restart(tag: string | null): Promise<string | null> {
    await Promise.all([this.#hash.stop(), this.#recording]);
    await rm(recordPath(this.#options.target), { force: true });
    await this.#file.truncate(0);
    this.#hash = new PrefixHash(this.#file);
    // Weak tags (RFC 9110, 8.8.1) promise the same meaning, not the same bytes.
    this.#tag = tag?.startsWith("W/") === true ? null : tag;
    this.#done = [];
    this.#unrecordedBytes = 0;
    return this.#tag;
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    for (let written = 0; written < bytes.length;) {
      written += (await this.#file.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
    }
    this.#done = withRange(this.#done, { from: position, to: position + bytes.length });
    this.#hash.advance(prefixBytes(this.#done));
    this.#unrecordedBytes += bytes.length;
    if (this.#unrecordedBytes >= this.#options.recordEveryBytes) await this.#record();
  }

  /** SHA-256 of the whole file, as it lies on the disk. Throws the file system's error, or the signal's reason. */
  sha256(signal: AbortSignal): Promise<string> {
    return this.#hash.digest(signal);
  }

  /** Resolves when what is there is recorded and nothing holds the file open any more. Where nothing is there, nothing stays. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#hash.stop();
    // Should this fail, there is an older record, and what is not in it is asked for again.
    await this.#record().catch(() => undefined);
    await this.#file.close();
    if (this.doneBytes === 0) await discardPartial(this.#options.target);
  }

  #record(): Promise<void> {
    this.#unrecordedBytes = 0;
    this.#recording = this.#recording.catch(() => undefined).then(() => this.#writeRecord());
    return this.#recording;
  }

  /** The bytes go to the disk first: a record of what a power cut then took would spoil the whole file. */
  async #writeRecord(): Promise<void> {
    const { target, url, sizeBytes, sha256 } = this.#options;
    const record: PartialRecord = { url, sizeBytes, sha256, tag: this.#tag, done: [...this.#done] };
    await this.#file.datasync();
    const draft = `${recordPath(target)}.new`;
    await writeFile(draft, JSON.stringify(record));
    await rename(draft, recordPath(target));
  }
}

/** `null` where there is none, or none that is true of the file beside it. */
async function readRecord(target: string, expected: ExpectedFile): Promise<PartialRecord | null> {
  try {
    const record = recordSchema.parse(JSON.parse(await readFile(recordPath(target), "utf8")));
    const isSame = record.sizeBytes === expected.sizeBytes && record.sha256 === expected.sha256;
    const lastByte = Math.max(0, ...record.done.map(({ to }) => to));
    const { size } = await stat(dataPath(target));
    return isSame && lastByte <= Math.min(size, expected.sizeBytes) ? record : null;
  } catch (caught) {
    if (isMissing(caught) || caught instanceof SyntaxError || caught instanceof z.ZodError) return null;
    throw caught;
  }
}
