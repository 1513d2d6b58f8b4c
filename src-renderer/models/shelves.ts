/** The files that are on no family's card. */
import type { ModelFile } from "../../src-main/contract/model.ts";

interface Shelves {
  /** Adapters and picture readers: they go with a model. */
  readonly companions: readonly ModelFile[];
  /** Something is wrong with them. */
  readonly unusable: readonly ModelFile[];
  /** Not looked into yet. */
  readonly unread: readonly ModelFile[];
}

export function shelves(files: readonly ModelFile[]): Shelves {
  const others = files.filter(({ familyId }) => familyId === null);
  const models = others.filter(({ kind }) => kind === "model");
  return {
    companions: others.filter(({ kind }) => kind !== "model"),
    unusable: models.filter(({ problem }) => problem !== null),
    unread: models.filter(({ problem }) => problem === null),
  };
}
