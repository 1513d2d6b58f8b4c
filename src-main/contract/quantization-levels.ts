/** The levels that the engine's release of llama.cpp can make, from the finest to the coarsest. */
import { z } from "zod";

const quantizationLevelSchema = z.object({
  /** As the field writes it: `Q4_K_M`. */
  name: z.string(),
  /** Of a whole file, for a model of eight billion weights; smaller models need more, since their vocabulary weighs more. */
  bitsPerWeight: z.number(),
  /** llama.cpp refuses to make it without an importance matrix. */
  needsImatrix: z.boolean(),
  /** It differs from Q8_0 only in a model of experts. */
  onlyForExperts: z.boolean(),
});
export const quantizationLevelsSchema = z.array(quantizationLevelSchema);

/** llama.cpp's number of a level (`llama_ftype`) beside what a person is told of it. */
export interface MakeableLevel extends z.infer<typeof quantizationLevelSchema> {
  readonly fileType: number;
}

const level = (name: string, fileType: number, bitsPerWeight: number, needsImatrix = false): MakeableLevel => {
  return { name, fileType, bitsPerWeight, needsImatrix, onlyForExperts: name === "MXFP4_MOE" };
};

/** The figures are those of the quantizer's own dry run for Llama 3.1 8B. */
const levels: readonly MakeableLevel[] = [
  level("F32", 0, 32),
  level("F16", 1, 16),
  level("BF16", 32, 16),
  level("Q8_0", 7, 8.5),
  level("Q6_K", 18, 6.56),
  level("Q5_1", 9, 6.04),
  level("Q5_K_M", 17, 5.7),
  level("Q5_K_S", 16, 5.57),
  level("Q5_0", 8, 5.57),
  level("Q4_1", 3, 5.1),
  level("Q4_K_M", 15, 4.89),
  level("IQ4_NL", 25, 4.68),
  level("Q4_K_S", 14, 4.67),
  level("Q4_0", 2, 4.64),
  level("IQ4_XS", 30, 4.46),
  level("Q3_K_L", 13, 4.3),
  level("MXFP4_MOE", 38, 4.25),
  level("Q3_K_M", 12, 4),
  level("IQ3_M", 27, 3.76),
  level("IQ3_S", 26, 3.66),
  level("Q3_K_S", 11, 3.64),
  level("IQ3_XS", 22, 3.5, true),
  level("IQ3_XXS", 23, 3.25, true),
  level("Q2_K", 10, 3.16),
  level("Q2_K_S", 21, 2.97, true),
  level("IQ2_M", 29, 2.93, true),
  level("IQ2_S", 28, 2.74, true),
  level("Q2_0", 41, 2.68),
  level("IQ2_XS", 20, 2.59, true),
  level("TQ2_0", 37, 2.52),
  level("IQ2_XXS", 19, 2.38, true),
  level("TQ1_0", 36, 2.19),
  level("IQ1_M", 31, 2.15, true),
  level("IQ1_S", 24, 2, true),
  level("Q1_0", 40, 1.48),
];

/** llama.cpp's short names for the middle one of three. */
const aliases: Readonly<Record<string, string>> = { Q3_K: "Q3_K_M", Q4_K: "Q4_K_M", Q5_K: "Q5_K_M" };

export function quantizationLevels(): readonly MakeableLevel[] {
  return levels;
}

/** By name in any case, or llama.cpp's short name for it; `null` for what is no level. */
export function findLevel(name: string): MakeableLevel | null {
  const wanted = name.trim().toUpperCase();
  return levels.find((each) => each.name === (aliases[wanted] ?? wanted)) ?? null;
}
