/** The levels of one model, each with what it takes and how fast it is beside the others. Pure. */
import type { FamilyLevel, Footprint } from "../contract/model-library.ts";
import type { CacheType, LoadOptions } from "../contract/model-settings.ts";
import type { ModelSpeed } from "../contract/model-switch.ts";
import type { ModelFile } from "../contract/model.ts";

/** What is known of a file beside what the list shows. */
export interface LevelFacts {
  readonly footprint: Footprint | null;
  readonly speed: ModelSpeed | null;
}

const bytesOfF16 = 2;
const elementBytes: Readonly<Record<CacheType, number>> = { f16: bytesOfF16, q8_0: 34 / 32, q4_0: 18 / 32 };

/** Smallest first. */
export function familyLevels(members: readonly ModelFile[], factsOf: (modelId: string) => LevelFacts): FamilyLevel[] {
  const levels = members
    .toSorted((one, other) => one.sizeBytes - other.sizeBytes || (one.path < other.path ? -1 : 1))
    .map((member) => level(member, factsOf(member.id)));
  const reference = mostPrecise(levels);
  const prefill = fastest(levels, ({ prefillTokensPerSecond }) => prefillTokensPerSecond);
  const decode = fastest(levels, ({ decodeTokensPerSecond }) => decodeTokensPerSecond);
  return levels.map((each) => ({
    ...each,
    isFastestPrefill: each === prefill,
    isFastestDecode: each === decode,
    isReference: each === reference,
  }));
}

type PlainLevel = Omit<FamilyLevel, "isFastestPrefill" | "isFastestDecode" | "isReference">;

function level(file: ModelFile, { footprint, speed }: LevelFacts): PlainLevel {
  const { id: modelId, summary, sizeBytes, source, problem, loadOptions } = file;
  const bits = footprint === null || footprint.parameters === 0 ? null : 8 / footprint.parameters;
  return {
    modelId,
    level: summary?.quantization ?? null,
    sizeBytes,
    source,
    problem,
    memory: footprint === null ? null : memoryOf(footprint, loadOptions),
    speed,
    bitsPerWeight: bits === null || footprint === null ? null : footprint.weightsBytes * bits,
  };
}

function memoryOf(footprint: Footprint, options: LoadOptions): NonNullable<FamilyLevel["memory"]> {
  const contextTokens = Math.min(footprint.contextTokens, options.contextTokens ?? Infinity);
  const share = contextTokens / footprint.contextTokens;
  const keyBytes = (footprint.keyBytes * elementBytes[options.keyType]) / bytesOfF16;
  const valueBytes = (footprint.valueBytes * elementBytes[options.valueType]) / bytesOfF16;
  const cacheBytes = (keyBytes + valueBytes) * share + footprint.stateBytes;
  return { bytes: Math.round(footprint.weightsBytes + cacheBytes + footprint.computeBytes), contextTokens };
}

/** Weights that could not be counted are taken to be as precise as their file is large. */
function mostPrecise(levels: readonly PlainLevel[]): PlainLevel | undefined {
  return levels
    .filter(({ problem }) => problem === null)
    .toSorted((one, other) => (other.bitsPerWeight ?? 0) - (one.bitsPerWeight ?? 0) || other.sizeBytes - one.sizeBytes)
    .at(0);
}

/** One alone is not the fastest of anything. */
function fastest(levels: readonly PlainLevel[], speedOf: (speed: ModelSpeed) => number): PlainLevel | undefined {
  const measured = levels.flatMap((each) => (each.speed === null ? [] : [{ each, speed: speedOf(each.speed) }]));
  if (measured.length < 2) return undefined;
  return measured.toSorted((one, other) => other.speed - one.speed)[0]?.each;
}
