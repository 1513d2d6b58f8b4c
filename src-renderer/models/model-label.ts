import type { ModelFile } from "../../src-main/contract/model.ts";

type Named = Pick<ModelFile, "name" | "familyId" | "summary">;

/** `SmolLM2 135M Instruct Q4_1`, and `Q4_1` alone beside another level of the same model. */
export function modelLabel(file: Named, beside: Named | null = null): string {
  const level = file.summary?.quantization ?? null;
  const isSameModel = beside !== null && file.familyId !== null && file.familyId === beside.familyId;
  return isSameModel && level !== null ? level : withLevel(file.name, level);
}

/** Names of files often have the level in them already. */
export function withLevel(name: string, level: string | null): string {
  return level === null || name.toLowerCase().includes(level.toLowerCase()) ? name : `${name} ${level}`;
}
