/** Which two or three models of the catalogue suit this machine. Pure. */
import type { CatalogueEntry } from "../contract/hub.ts";
import type { ModelForecast, Proposal } from "../contract/proposals.ts";

/** About as fast as a person reads. */
const slowestTokensPerSecond = 6;
/** While nothing was measured: what answers without a long wait on most machines. */
const mostActiveUnmeasured = 4.5e9;
/** What is no larger than the default model answers no better than it, which is here. */
const fewestWeights = 200e6;
/** Another proposal takes at most this share of the one before. */
const clearlyLess = 0.6;
/** Of another family, one that is so near to the largest is proposed instead: a choice of one maker is none. */
const nearlyAsLarge = 0.65;

interface Candidate {
  readonly entry: CatalogueEntry;
  readonly forecast: ModelForecast;
}

const reasons = ["strongest", "balanced", "quickest"] as const satisfies readonly Proposal["reason"][];

/**
 * The largest model that fits into what is free now and is not slow; one that takes clearly less; and one that takes
 * clearly less again and is clearly faster than both. Fewer where there is nothing so much smaller, and none of what is
 * here already. `forecasts` are those of `entries`.
 */
export function proposeModels(entries: readonly CatalogueEntry[], forecasts: readonly ModelForecast[]): Proposal[] {
  const byId = new Map(forecasts.map((forecast) => [forecast.catalogueId, forecast]));
  let candidates = entries.flatMap((entry): Candidate[] => {
    const forecast = byId.get(entry.id);
    return forecast !== undefined && suits(entry, forecast) ? [{ entry, forecast }] : [];
  });
  const chosen: Candidate[] = [];
  return reasons.flatMap((reason) => {
    if (reason === "quickest") candidates = candidates.filter(({ entry }) => isClearlyFaster(entry, chosen));
    const found = best(candidates, new Set(chosen.map(({ entry }) => entry.family)));
    if (found === null) return [];
    chosen.push(found);
    const mostBytes = found.forecast.sizeBytes * clearlyLess;
    candidates = candidates.filter(({ forecast }) => forecast.sizeBytes <= mostBytes);
    return [{ catalogueId: found.entry.id, reason }];
  });
}

function suits(entry: CatalogueEntry, { fit, isHere, decodeTokensPerSecond }: ModelForecast): boolean {
  if (fit !== "now" || isHere || entry.parameters < fewestWeights) return false;
  if (decodeTokensPerSecond === null) return activeOf(entry) <= mostActiveUnmeasured;
  return decodeTokensPerSecond >= slowestTokensPerSecond;
}

/** The largest; of a family that is not there yet, where that costs little. */
function best(candidates: readonly Candidate[], families: ReadonlySet<string>): Candidate | null {
  const largest = largestOf(candidates);
  if (largest === null) return null;
  const fresh = largestOf(candidates.filter(({ entry }) => !families.has(entry.family)));
  return fresh !== null && fresh.entry.parameters >= largest.entry.parameters * nearlyAsLarge ? fresh : largest;
}

/** Of those as large the later one: the catalogue has the newer behind the older. */
function largestOf(candidates: readonly Candidate[]): Candidate | null {
  return candidates.reduce<Candidate | null>(
    (most, candidate) => (most === null || candidate.entry.parameters >= most.entry.parameters ? candidate : most),
    null,
  );
}

function isClearlyFaster(entry: CatalogueEntry, chosen: readonly Candidate[]): boolean {
  return chosen.every((other) => activeOf(entry) <= activeOf(other.entry) * clearlyLess);
}

function activeOf({ parameters, activeParameters = parameters }: CatalogueEntry): number {
  return activeParameters;
}
