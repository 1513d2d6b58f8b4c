/**
 * Where a model's file is. A file in the models folder has an id made of its path below the folder, so the id stays
 * when the folder moves; a file that was added where it lies has the id the store gave it; one that another program
 * keeps, or a folder that is watched, has one made of its path.
 */
import { createHash } from "node:crypto";
import { basename, extname, isAbsolute, relative, sep } from "node:path";
import { RepriseError } from "../contract/errors.ts";
import { idFromBytes } from "../contract/id.ts";
import type { ModelSource } from "../contract/model.ts";
import type { ModelFileStore, ModelFolder, WatchedModel } from "./ports.ts";

export interface ModelReference {
  readonly id: string;
  readonly path: string;
}

export interface ListedModel extends ModelReference {
  readonly source: ModelSource;
  /** Of all its files; `null` where only the first was looked at. */
  readonly sizeBytes: number | null;
  /** What another program calls it, where its file's name says nothing. */
  readonly name: string | null;
}

/** A model's name where the file has not been looked into: of the file, without the ending. */
export function fileNameOf(path: string): string {
  return basename(path, extname(path));
}

function idOfText(text: string): string {
  return idFromBytes(createHash("sha256").update(text).digest().subarray(0, 12));
}

function folderModelId(pathBelowFolder: string): string {
  return idOfText(pathBelowFolder.split(sep).join("/"));
}

/** The default model where the folder has not been read, or has lost it. */
const ownAlone = { source: "own", sizeBytes: null, name: null } as const;

interface Dependencies {
  readonly modelsFolder: string;
  readonly defaultModel: { readonly path: string; readonly name: string };
  readonly folder: ModelFolder;
  readonly store: ModelFileStore;
  /** Of other programs and watched folders, as they are now. */
  readonly watched: () => Promise<readonly WatchedModel[]>;
}

export class ModelLocator {
  readonly #parts: Dependencies;
  #inFolder: readonly ListedModel[] = [];
  #watched: readonly ListedModel[] = [];

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

  /** The name a person reads: our own for the default model, else what the file says, else what its program or the file is called. */
  nameOf(path: string, metadataName: string | undefined, programsName: string | null): string {
    if (this.isDefault(path)) return this.#parts.defaultModel.name;
    const stated = metadataName?.trim() ?? "";
    return stated === "" ? (programsName ?? fileNameOf(path)) : stated;
  }

  /** Every model of the folders and of the list, read anew. Throws STORAGE_FAILED where the models folder cannot be read. */
  async scan(): Promise<ListedModel[]> {
    const [files, watched] = await Promise.all([this.#parts.folder.list(), this.#parts.watched()]);
    this.#inFolder = files.flatMap(({ path, sizeBytes }) => {
      const inside = this.#inside(path);
      return inside === null ? [] : { ...inside, source: "own" as const, sizeBytes, name: null };
    });
    this.#watched = watched.map((file) => ({ ...file, id: idOfText(`watched:${file.path}`) }));
    return this.#listed();
  }

  /** Throws NOT_FOUND. */
  listedById(modelId: string): ListedModel {
    return this.#listed().find(({ id }) => id === modelId) ?? { ...this.byId(modelId), ...ownAlone };
  }

  /** Throws NOT_FOUND for an id that is neither in the folder nor on the list. Whether the file still exists is not looked at. */
  byId(modelId: string): ModelReference {
    const found = this.find(modelId);
    if (found !== null) return found;
    const sentence = "This model is not on the list any more. Choose another one for the conversation.";
    throw new RepriseError("NOT_FOUND", sentence, { what: "model", id: modelId });
  }

  find(modelId: string): ModelReference | null {
    const known = [this.default, ...this.#inFolder, ...this.#parts.store.list(), ...this.#watched];
    return known.find(({ id }) => id === modelId) ?? null;
  }

  /** The model at a path that is in the folder or on the list; `null` for any other file. */
  atPath(path: string): ModelReference | null {
    const others = [...this.#parts.store.list(), ...this.#watched];
    return this.#inside(path) ?? others.find((other) => other.path === path) ?? null;
  }

  /** Each path once: a file of the models folder that another program keeps too is the models folder's. */
  #listed(): ListedModel[] {
    const added = this.#parts.store
      .list()
      .map((file): ListedModel => ({ ...file, source: "added", sizeBytes: null, name: null }));
    const all = [...this.#watched, ...added, ...this.#inFolder];
    return [...new Map(all.map((model) => [model.path, model])).values()].reverse();
  }

  #inside(path: string): ModelReference | null {
    const below = relative(this.#parts.modelsFolder, path);
    const isInside = below !== "" && !isAbsolute(below) && below.split(sep)[0] !== "..";
    return isInside ? { id: folderModelId(below), path } : null;
  }
}
