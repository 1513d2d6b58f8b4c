import type { ResumeRule } from "../cache/reusable-tokens.ts";
import { longestPrefix, type Resident, type ResidentPrefix } from "./resident.ts";
import { prefillMs, restoreMs, type ReuseCosts } from "./reuse-costs.ts";
import type { OwnedSpan } from "./token-owners.ts";

/** What the store can restore of the prompt: a chain's beginning, or a whole snapshot that ends there. */
export interface StoredPrefix {
  readonly length: number;
  readonly owners: readonly OwnedSpan[];
}

/** A restore that would have cost more than computing the same tokens. */
export interface DeclinedRestore {
  readonly from: number;
  readonly to: number;
  readonly restoreMs: number;
  readonly computeMs: number;
}

/** What a prompt starts from: cells in place, then tokens from the store; both may be missing. */
export interface Base {
  readonly inPlace: ResidentPrefix | null;
  readonly restore: { readonly from: number; readonly to: number } | null;
  readonly declined: DeclinedRestore | null;
  /** How many of the prompt's tokens need not be computed. */
  readonly length: number;
}

export interface BaseInput {
  readonly prompt: readonly number[];
  readonly residents: readonly Resident[];
  readonly rule: ResumeRule;
  readonly stored: StoredPrefix | null;
  readonly costs: ReuseCosts;
  /** Whether tokens can be loaded behind cells in place; otherwise the store's tokens take their place. */
  readonly restoresBehind: boolean;
  /** Whether cells in place may be given up for the store's. */
  readonly mayReplace: boolean;
}

/** The longest beginning in place, and the store's where that is longer and cheaper than computing. */
export function chooseBase(input: BaseInput): Base {
  const { prompt, residents, rule, costs } = input;
  const inPlace = longestPrefix(prompt, residents, rule);
  const held = inPlace?.length ?? 0;
  const onlyInPlace: Base = { inPlace, restore: null, declined: null, length: held };
  const to = restorableLength(input);
  if (to <= held) return onlyInPlace;
  const isBehind = held > 0 && input.restoresBehind && rule.kind === "anywhere";
  if (held > 0 && !isBehind && !input.mayReplace) return onlyInPlace;
  const from = isBehind ? held : 0;
  const prices = { restoreMs: restoreMs(costs, to - from), computeMs: prefillMs(costs, held, to) };
  if (prices.restoreMs >= prices.computeMs) return { ...onlyInPlace, declined: { from: held, to, ...prices } };
  return { inPlace: isBehind ? inPlace : null, restore: { from, to }, declined: null, length: to };
}

/** One token is always left to compute; only chains of blocks can be cut to leave it. */
function restorableLength({ prompt, rule, stored }: BaseInput): number {
  const length = stored?.length ?? 0;
  if (length < prompt.length) return length;
  return rule.kind === "anywhere" ? prompt.length - 1 : 0;
}
