import type { FamilyCard } from "../../src-main/contract/model-library.ts";
import type { ModelFile } from "../../src-main/contract/model.ts";

/**
 * The files, those of a known model by its name: whoever converted a level may have called it anything, and one model
 * must not have two names. A file that does not say its level keeps its own, which may be all that tells it apart. Pure.
 */
export function namedByFamily(files: readonly ModelFile[], families: readonly FamilyCard[]): readonly ModelFile[] {
  const names = new Map(families.map(({ id, name }) => [id, name]));
  return files.map((file) => {
    const name = file.familyId === null ? undefined : names.get(file.familyId);
    const saysLevel = (file.summary?.quantization ?? null) !== null;
    return name === undefined || name === file.name || !saysLevel ? file : { ...file, name };
  });
}
