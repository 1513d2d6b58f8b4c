/** The models of other programs and of folders the user has watched: all that are there, each file once. */
import { RepriseError } from "../../contract/errors.ts";
import { ModelFolder } from "../model-folder.ts";
import { isMissing } from "../storage-trouble.ts";
import { findHubCacheModels } from "./hub-cache.ts";
import { findJanModels } from "./jan.ts";
import { findOllamaModels } from "./ollama.ts";
import type { WatchPlace } from "./watch-places.ts";
import type { WatchedFile } from "./watched-file.ts";

interface Place {
  readonly source: WatchPlace["source"] | "watched";
  readonly folder: string;
}

const advice = "Make it readable to list its models. All others are listed.";

const finders: Readonly<Record<Place["source"], (folder: string) => Promise<WatchedFile[]>>> = {
  "lm-studio": (folder) => filesBelow({ source: "lm-studio", folder }),
  watched: (folder) => filesBelow({ source: "watched", folder }),
  jan: findJanModels,
  ollama: findOllamaModels,
  "hub-cache": findHubCacheModels,
};

export class WatchedModels {
  readonly #places: readonly Place[];

  constructor(places: readonly WatchPlace[]) {
    this.#places = places;
  }

  /**
   * `folders`: those the user has watched. What cannot be read is told of and left out; a program's folder that is not
   * there is no problem, since few have them all.
   */
  async list(folders: readonly string[]): Promise<{ files: WatchedFile[]; problems: RepriseError[] }> {
    const places = [...this.#places, ...folders.map((folder) => ({ source: "watched" as const, folder }))];
    const found = await Promise.all(places.map(findIn));
    const files = found.flatMap((result) => result.files);
    return {
      files: [...new Map(files.toReversed().map((file) => [file.path, file])).values()].toReversed(),
      problems: found.flatMap(({ problem }) => problem ?? []),
    };
  }
}

async function findIn({ source, folder }: Place): Promise<{ files: WatchedFile[]; problem: RepriseError | null }> {
  try {
    return { files: await finders[source](folder), problem: null };
  } catch (caught) {
    return { files: [], problem: isMissing(caught) ? null : unreadable(folder, caught) };
  }
}

async function filesBelow({ source, folder }: Place): Promise<WatchedFile[]> {
  const files = await new ModelFolder(folder, advice).list();
  return files.map(({ path, sizeBytes }) => ({ path, sizeBytes, source, name: null }));
}

function unreadable(folder: string, caught: unknown): RepriseError {
  if (caught instanceof RepriseError) return caught as RepriseError;
  const detail = caught instanceof Error ? caught.message : String(caught);
  const sentence = `The folder ${folder} cannot be read (${detail}). ${advice}`;
  return new RepriseError("STORAGE_FAILED", sentence, { reason: "other", detail }, { cause: caught });
}
