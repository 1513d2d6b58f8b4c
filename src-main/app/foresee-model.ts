/** What a model of the catalogue would be on this machine. Pure. */
import type { CatalogueEntry } from "../contract/hub.ts";
import {
  fitOf,
  foreseenFileBytes,
  foreseenMemoryBytes,
  foreseenWeights,
  type MachineMemory,
} from "../contract/machine-fit.ts";
import type { ModelForecast, SpeedMeasurement } from "../contract/proposals.ts";
import { findLevel } from "../contract/quantization-levels.ts";

const level = "Q4_K_M";
const typicalBits = 4.9;

/** What this machine does for any model: how many bytes it reads, and how many weights it computes with, in a second. */
export interface MachineSpeed {
  readonly bytesPerSecond: number;
  readonly weightsPerSecond: number;
}

/**
 * Decoding reads every weight for each token, so it is bound by the memory's bandwidth; reading a prompt computes with
 * many tokens at once, so it is bound by arithmetic.
 */
export function machineSpeed(measured: SpeedMeasurement, quantization: string | null): MachineSpeed {
  const bits = bitsOf(quantization);
  return {
    bytesPerSecond: measured.decodeTokensPerSecond * measured.sizeBytes,
    weightsPerSecond: measured.prefillTokensPerSecond * foreseenWeights(measured.sizeBytes, bits),
  };
}

export function foreseeModel(
  { id, parameters, activeParameters = parameters }: CatalogueEntry,
  machine: MachineMemory,
  speed: MachineSpeed | null,
  isHere: boolean,
): ModelForecast {
  const bits = bitsOf(level);
  const sizeBytes = foreseenFileBytes(parameters, bits);
  const memoryBytes = foreseenMemoryBytes(sizeBytes, parameters);
  return {
    catalogueId: id,
    level,
    sizeBytes,
    memoryBytes,
    fit: fitOf(memoryBytes, machine),
    isHere,
    prefillTokensPerSecond: speed === null ? null : speed.weightsPerSecond / activeParameters,
    decodeTokensPerSecond: speed === null ? null : speed.bytesPerSecond / foreseenFileBytes(activeParameters, bits),
  };
}

function bitsOf(quantization: string | null): number {
  return (quantization === null ? null : findLevel(quantization))?.bitsPerWeight ?? typicalBits;
}
