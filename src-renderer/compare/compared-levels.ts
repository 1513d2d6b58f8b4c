/** Which models are compared where nobody has chosen. Pure. */
import type { ModelFile } from "../../src-main/contract/model.ts";

/** A level as a person tells it from the others of its model; the model's name where the file does not say. */
export function levelName({ name, summary }: ModelFile): string {
  return summary?.quantization ?? name;
}

/** All levels of the model, the largest first: the reference. Empty where it is not known which model it is. */
export function levelsFor(files: readonly ModelFile[], model: ModelFile | null): readonly ModelFile[] {
  const familyId = model?.familyId ?? null;
  if (familyId === null) return [];
  return files
    .filter((file) => file.familyId === familyId)
    .toSorted((one, other) => other.sizeBytes - one.sizeBytes || (one.id < other.id ? -1 : 1));
}

export type Pair = readonly [ModelFile, ModelFile];

/**
 * What was chosen, else the conversation's own model and the most precise other level of it, else any other model.
 * `null` where there are no two.
 */
export function pairFor(
  files: readonly ModelFile[],
  model: ModelFile | null,
  chosen: readonly [string, string] | null,
): Pair | null {
  const byId = (wanted: string | undefined) => files.find(({ id }) => id === wanted);
  const first = byId(chosen?.[0]) ?? byId(model?.id) ?? files[0];
  const isOther = (file: ModelFile | undefined) => file !== undefined && file.id !== first?.id;
  const others = [byId(chosen?.[1]), ...levelsFor(files, first ?? null), ...files];
  const second = others.find(isOther);
  return first === undefined || second === undefined ? null : [first, second];
}
