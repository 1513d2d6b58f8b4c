import { readdir, stat } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { RepriseError } from "../contract/errors.ts";
import { readSplitName } from "./split-name.ts";
import { isMissing } from "./storage-trouble.ts";

export interface FoundModelFile {
  /** Of the first part, where the model is split over several files: llama.cpp finds the others from it. */
  readonly path: string;
  /** Of all parts together. */
  readonly sizeBytes: number;
}

const ggufName = /\.gguf$/i;

/** The name a model's parts have in common; its own name where it is not split. */
function wholeName(fileName: string): string {
  const split = readSplitName(fileName);
  return split === null ? fileName : `${split.stem}-of-${split.count}`;
}

function isLaterPart(fileName: string): boolean {
  return (readSplitName(fileName)?.part ?? 1) !== 1;
}

export class ModelFolder {
  readonly #folder: string;
  readonly #advice: string;

  /** `advice`: what to do where it cannot be read, as a sentence. */
  constructor(folder: string, advice = "Make it readable, or name another one in REPRISE_MODELS.") {
    this.#folder = folder;
    this.#advice = advice;
  }

  /** GGUF files anywhere below the folder but in hidden places, by path; a folder that is not there has none. Throws STORAGE_FAILED. */
  async list(): Promise<FoundModelFile[]> {
    try {
      return await this.#list();
    } catch (caught) {
      if (isMissing(caught)) return [];
      const detail = caught instanceof Error ? caught.message : String(caught);
      const sentence = `The model folder ${this.#folder} cannot be read (${detail}). ${this.#advice}`;
      throw new RepriseError("STORAGE_FAILED", sentence, { reason: "other", detail }, { cause: caught });
    }
  }

  async #list(): Promise<FoundModelFile[]> {
    const entries = await readdir(this.#folder, { recursive: true, withFileTypes: true });
    const isHidden = (folder: string, name: string) =>
      relative(this.#folder, join(folder, name))
        .split(sep)
        .some((segment) => segment.startsWith("."));
    const named = entries.filter(({ parentPath, name }) => ggufName.test(name) && !isHidden(parentPath, name));
    const files = await Promise.all(named.map(({ parentPath, name }) => this.#measure(parentPath, name)));
    const byWhole = Map.groupBy(
      files.filter((file) => file !== null),
      ({ folder, name }) => join(folder, wholeName(name)),
    );
    return [...byWhole.values()]
      .flatMap((parts) => {
        const first = parts.find(({ name }) => !isLaterPart(name));
        if (first === undefined) return [];
        const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, 0);
        return [{ path: join(first.folder, first.name), sizeBytes }];
      })
      .sort((left, right) => (left.path < right.path ? -1 : 1));
  }

  /** `null` for a folder with such a name, and for a link that leads nowhere. */
  async #measure(folder: string, name: string): Promise<{ folder: string; name: string; sizeBytes: number } | null> {
    try {
      const found = await stat(join(folder, name));
      return found.isFile() ? { folder, name, sizeBytes: found.size } : null;
    } catch (caught) {
      if (isMissing(caught)) return null;
      throw caught;
    }
  }
}
