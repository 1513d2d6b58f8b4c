import { freemem, totalmem } from "node:os";
import type { Llama } from "node-llama-cpp";
import type { FreeMemory } from "../sizing/context-room.ts";

/**
 * What a context could have. On a graphics card its memory counts. Otherwise what the system could hand out, within the
 * limits of a container: on Linux that is MemAvailable, which counts the pages of a mapped file as free though the
 * weights (`mappedBytes`) are read for every token; macOS has no such figure, and fills memory with what it can give
 * back, so a quarter of it is taken to be free at least.
 */
export async function freeMemory(llama: Llama, mappedBytes: number): Promise<FreeMemory> {
  if (llama.gpu !== false) {
    const { free, total } = await llama.getVramState();
    return { freeBytes: free, totalBytes: total };
  }
  const totalBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const freeBytes = process.availableMemory();
  if (process.platform === "linux") return { freeBytes: Math.min(freemem() - mappedBytes, freeBytes), totalBytes };
  if (process.platform === "darwin") return { freeBytes: Math.max(freeBytes, totalBytes / 4), totalBytes };
  return { freeBytes, totalBytes };
}
