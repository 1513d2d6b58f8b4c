/**
 * Which layers see only a window of what came before. llama.cpp decides that in its source, architecture by
 * architecture; this is its table for the release the engine stands on. Files may name the layers one by one.
 */
import type { GgufHeader } from "./gguf-header.ts";
import { layerValues, numberValue } from "./gguf-values.ts";

interface Rule {
  /** Of as many layers one sees everything: the last of them, or the first. `null`: the file must name them. */
  readonly period: number | null;
  readonly first?: true;
  /** Where the file says none. */
  readonly windowTokens?: number;
  /** Whatever the file says. */
  readonly fixedWindow?: true;
}

const rules: Readonly<Record<string, Rule>> = {
  afmoe: { period: 4 },
  cohere2: { period: 4 },
  cohere2moe: { period: 4, first: true },
  "exaone-moe": { period: 4, windowTokens: 128 },
  exaone4: { period: 4, windowTokens: 4_096 },
  gemma2: { period: 2, windowTokens: 4_096 },
  gemma3: { period: 6 },
  gemma3n: { period: 5 },
  gemma4: { period: null },
  "gpt-oss": { period: 2 },
  granite_swa: { period: null },
  laguna: { period: 4, first: true },
  llama4: { period: 4, windowTokens: 8_192, fixedWindow: true },
  maple: { period: null },
  mellum: { period: 4 },
  mimo2: { period: null },
  "muse-glimmer": { period: 4 },
  olmo2: { period: 4 },
  plamo3: { period: 8 },
  smallthinker: { period: 4, first: true, windowTokens: 4_096, fixedWindow: true },
  spark2_5: { period: null },
  step35: { period: null },
};

export interface SlidingLayers {
  readonly windowTokens: number;
  /** By layer. */
  readonly isSliding: readonly boolean[];
}

/** `null`: every layer sees everything. `lastLayers`: how many at the end are not part of the model's own stack. */
export function slidingLayers(
  header: GgufHeader,
  architecture: string,
  layers: number,
  lastLayers: number,
): SlidingLayers | null {
  const rule = rules[architecture];
  const windowTokens = rule === undefined ? 0 : windowOf(header, architecture, rule, layers);
  if (rule === undefined || windowTokens === 0) return null;
  const isSliding = named(header, architecture, layers) ?? byPeriod(header, architecture, rule, layers - lastLayers);
  return { windowTokens, isSliding: Array.from({ length: layers }, (_, layer) => isSliding[layer] ?? false) };
}

function windowOf(header: GgufHeader, architecture: string, rule: Rule, layers: number): number {
  const said = numberValue(header, `${architecture}.attention.sliding_window`);
  // EXAONE 4 has windows in its larger size only.
  if (architecture === "exaone4" && layers !== 64) return 0;
  if (said === 0) return 0;
  if (architecture === "smallthinker" && said === null) return 0;
  return rule.fixedWindow === true ? (rule.windowTokens ?? 0) : (said ?? rule.windowTokens ?? 0);
}

function named(header: GgufHeader, architecture: string, layers: number): readonly boolean[] | null {
  const key = `${architecture}.attention.sliding_window_pattern`;
  return typeof header.metadata.get(key) === "object"
    ? (layerValues(header, key, layers)?.map((value) => value !== 0) ?? null)
    : null;
}

function byPeriod(header: GgufHeader, architecture: string, rule: Rule, layers: number): readonly boolean[] {
  const period = numberValue(header, `${architecture}.attention.sliding_window_pattern`) ?? rule.period;
  return Array.from({ length: layers }, (_, layer) => {
    if (period === null) return false;
    if (period === 0) return true;
    return rule.first === true ? layer % period !== 0 : layer % period < period - 1;
  });
}
