import { freemem, totalmem } from "node:os";
import { memoryReserve, type MachineMemory } from "../contract/machine-fit.ts";

/**
 * The machine's memory within the limits of a container; that of graphics cards does not count. macOS fills memory with
 * what it can give back and has no figure for it, so a quarter is taken to be free at least.
 */
export function machineMemory(): MachineMemory {
  const totalBytes = Math.min(totalmem(), process.constrainedMemory() || Infinity);
  const availableBytes = Math.min(process.availableMemory(), process.platform === "linux" ? freemem() : Infinity);
  const freeBytes = process.platform === "darwin" ? Math.max(availableBytes, totalBytes / 4) : availableBytes;
  return { totalBytes, freeBytes, reserveBytes: memoryReserve(totalBytes) };
}
