import type { KvFile } from "./kv-file.ts";
import type { WeightsHashCache } from "./weights-hash.ts";

/** Hashes of model files, kept beside the blocks they stand for. Where the file cannot be used, nothing is remembered. */
export function weightsHashCache(file: KvFile): WeightsHashCache {
  return {
    get: (path, identity) => {
      const found = file.attempt(({ tables }) => tables.weightsHash(path, identity));
      return found.kind === "done" ? found.result : null;
    },
    set: (path, identity, hash) => {
      file.write((tables) => {
        tables.setWeightsHash(path, identity, hash);
      });
    },
  };
}
