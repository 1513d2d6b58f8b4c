import { RepriseError } from "../contract/errors.ts";
import type { ModelSource } from "../contract/model.ts";
import type { ListedModel } from "./model-locator.ts";
import type { ModelFileStore } from "./ports.ts";

interface Means {
  readonly store: ModelFileStore;
  readonly deleteModel: (path: string) => Promise<void>;
}

type Foreign = Exclude<ModelSource, "own" | "added">;

const owners: Readonly<Record<Foreign, string>> = {
  "lm-studio": "to LM Studio",
  jan: "to Jan",
  ollama: "to Ollama",
  "hub-cache": "to the hub's cache",
  watched: "to a folder that Reprise only watches",
};

/**
 * Takes an added file off the list, and deletes a file where that was asked for. Throws INVALID_INPUT for another
 * program's file and for one of the models folder that is not to be deleted, STORAGE_FAILED where it cannot be deleted.
 */
export async function removeModel(model: ListedModel, deletesFile: boolean, means: Means): Promise<void> {
  const { id, path, source } = model;
  if (source !== "own" && source !== "added") {
    const remedy = source === "watched" ? "stop watching the folder" : "remove it with that program";
    throw refused(`${path} belongs ${owners[source]}, so it was left as it is. To take it off the list, ${remedy}.`);
  }
  if (source === "own" && !deletesFile) {
    throw refused(
      `${path} lies in the models folder, so it stays on the list. Delete the file with it, or move it, to take it off.`,
    );
  }
  if (deletesFile) await means.deleteModel(path);
  if (source === "added") means.store.remove(id);
}

function refused(reason: string): RepriseError<"INVALID_INPUT"> {
  return new RepriseError("INVALID_INPUT", reason, { reason });
}
