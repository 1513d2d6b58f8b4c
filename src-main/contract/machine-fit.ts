/**
 * What a model takes of a machine, foreseen before its file is here: rough arithmetic, the same for main and the page.
 * Once the file is here the memory planner knows better.
 */
import { z } from "zod";

const mebibyte = 1 << 20;

/** Half a gigabyte, or a sixteenth of the machine: so that no other program is pushed out over a conversation. */
export function memoryReserve(totalBytes: number): number {
  return Math.max(512 * mebibyte, Math.floor(totalBytes / 16));
}

export const machineMemorySchema = z.object({
  totalBytes: z.number(),
  /** What programs could have now. */
  freeBytes: z.number(),
  /** What has to stay free for the rest of the machine. */
  reserveBytes: z.number(),
});
export type MachineMemory = z.infer<typeof machineMemorySchema>;

/** `later`: not into what is free now, but into this machine when other programs leave more. */
export const machineFitSchema = z.enum(["now", "later", "never"]);
type MachineFit = z.infer<typeof machineFitSchema>;

/** The part of the vocabulary that every level keeps finer than the rest: so many weights more, as it were. */
const finerWeights = 40e6;

/**
 * Bytes of a file with so many weights at so many bits. Of published Q4_K_M files of 0.1 to 30 billion weights nearly all
 * are within a tenth of it; those with a huge vocabulary are up to a third larger.
 */
export function foreseenFileBytes(weights: number, bitsPerWeight: number): number {
  return ((weights + finerWeights) * bitsPerWeight) / 8;
}

/** The other way round; never below 0. */
export function foreseenWeights(fileBytes: number, bitsPerWeight: number): number {
  return Math.max(0, (fileBytes * 8) / bitsPerWeight - finerWeights);
}

/** Room for most conversations: what a model is loaded with where memory allows it. */
export const foreseenContextTokens = 8_192;
/** Of the keys and values of one token: small models grow with their weights, large ones share heads instead. */
const cacheBytesPerWeight = 0.0002;
const mostCacheBytesPerToken = 150_000;
const computeBytes = 300e6;
const typicalBits = 4.9;

/** Weights, a conversation of `foreseenContextTokens` and buffers for computing. */
export function foreseenMemoryBytes(fileBytes: number, weights = foreseenWeights(fileBytes, typicalBits)): number {
  const perToken = Math.min(mostCacheBytesPerToken, weights * cacheBytesPerWeight);
  return fileBytes + perToken * foreseenContextTokens + computeBytes;
}

export function fitOf(memoryBytes: number, { totalBytes, freeBytes, reserveBytes }: MachineMemory): MachineFit {
  if (memoryBytes + reserveBytes <= freeBytes) return "now";
  return memoryBytes + reserveBytes <= totalBytes ? "later" : "never";
}
