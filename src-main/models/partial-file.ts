/**
 * A download that is not whole yet, and what the server called the version it belongs to. Both survive a crash, so
 * that the next try asks only for the rest.
 */
import { open, readFile, rm, stat, writeFile, type FileHandle } from "node:fs/promises";
import { isMissing } from "./storage-trouble.ts";

export class PartialFile {
  readonly path: string;
  readonly #tagPath: string;

  /** `target` is where the file will be when it is whole. */
  constructor(target: string) {
    this.path = `${target}.part`;
    this.#tagPath = `${target}.part.etag`;
  }

  /** 0 where there is none. */
  async sizeBytes(): Promise<number> {
    try {
      return (await stat(this.path)).size;
    } catch (caught) {
      if (isMissing(caught)) return 0;
      throw caught;
    }
  }

  /** The version of the bytes that are there; `null` where the server named none that can be relied on. */
  async tag(): Promise<string | null> {
    try {
      return await readFile(this.#tagPath, "utf8");
    } catch (caught) {
      if (isMissing(caught)) return null;
      throw caught;
    }
  }

  /** Opens it empty, as the start of the version named `tag`. */
  async restart(tag: string | null): Promise<FileHandle> {
    await rm(this.#tagPath, { force: true });
    const file = await open(this.path, "w");
    // Weak tags (RFC 9110, 8.8.1) promise the same meaning, not the same bytes.
    if (tag !== null && !tag.startsWith("W/")) await writeFile(this.#tagPath, tag);
    return file;
  }

  /** Opens it to be written from any position, as it is. */
  resume(): Promise<FileHandle> {
    return open(this.path, "r+");
  }

  async discard(): Promise<void> {
    await rm(this.path, { force: true });
    await rm(this.#tagPath, { force: true });
  }
}
