/**
 * Where a model's file is. A file in the models folder has an id made of its path below the folder, so the id stays
 * when the folder moves; a file that was added where it lies has the id the store gave it.
 */
import { createHash } from "node:crypto";
import { basename, extname, isAbsolute, relative, sep } from "node:path";
import { RepriseError } from "../contract/errors.ts";
import { idFromBytes } from "../contract/id.ts";
import type { ModelFileStore, ModelFolder } from "./ports.ts";

export interface ModelReference {
  readonly id: string;
  readonly path: string;
}

/** A model's name where the file has not been looked into: of the file, without the ending. */
export function fileNameOf(path: string): string {
  return basename(path, extname(path));
}

function folderModelId(pathBelowFolder: string): string {
  const text = pathBelowFolder.split(sep).join("/");
  return idFromBytes(createHash("sha256").update(text).digest().subarray(0, 12));
}

interface Dependencies {
  readonly modelsFolder: string;
  readonly defaultModel: { readonly path: string; readonly name: string };
  readonly folder: ModelFolder;
  readonly store: ModelFileStore;
}

export class ModelLocator {
  readonly #parts: Dependencies;
  #inFolder: readonly ModelReference[] = [];

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  get default(): ModelReference {
    const { path } = this.#parts.defaultModel;
    return this.atPath(path) ?? { id: folderModelId(basename(path)), path };
  }

  isDefault(path: string): boolean {
    return path === this.#parts.defaultModel.path;
  }

  /** The name a person reads: our own for the default model, else what the file says, else the file's. */
  nameOf(path: string, metadataName: string | undefined): string {
    if (this.isDefault(path)) return this.#parts.defaultModel.name;
    return metadataName === undefined || metadataName.trim() === "" ? fileNameOf(path) : metadataName.trim();
  }

  /** Every model of the folder and of the list, read anew. Throws STORAGE_FAILED where the folder cannot be read. */
  async scan(): Promise<ModelReference[]> {
    const files = await this.#parts.folder.list();
    this.#inFolder = files.flatMap(({ path }) => this.#inside(path) ?? []);
    const all = [...this.#inFolder, ...this.#parts.store.list()];
    return [...new Map(all.map((reference) => [reference.path, reference])).values()];
  }

  /** Throws NOT_FOUND for an id that is neither in the folder nor on the list. Whether the file still exists is not looked at. */
  byId(modelId: string): ModelReference {
    const found = this.find(modelId);
    if (found !== null) return found;
    const sentence = "This model is not on the list any more. Choose another one for the conversation.";
    throw new RepriseError("NOT_FOUND", sentence, { what: "model", id: modelId });
  }

  find(modelId: string): ModelReference | null {
    const known = [this.default, ...this.#inFolder, ...this.#parts.store.list()];
    return known.find(({ id }) => id === modelId) ?? null;
  }

  /** The model at a path that is in the folder or on the list; `null` for any other file. */
  atPath(path: string): ModelReference | null {
    return this.#inside(path) ?? this.#parts.store.list().find((added) => added.path === path) ?? null;
  }

  #inside(path: string): ModelReference | null {
    const below = relative(this.#parts.modelsFolder, path);
    const isInside = below !== "" && !isAbsolute(below) && below.split(sep)[0] !== "..";
    return isInside ? { id: folderModelId(below), path } : null;
  }
}
