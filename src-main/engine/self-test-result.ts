/** What it says that two computations of the same prompt ended as they did. Nothing here computes anything. */
import type { SelfTestResult } from "../contract/cache.ts";

/** What a computed prompt ends with. */
export type Ending =
  { readonly logits: Float32Array; readonly choice: null } | { readonly logits: null; readonly choice: number };

type Comparison = Pick<SelfTestResult, "verdict" | "isSameChoice" | "maxDifference" | "scale" | "tie">;

interface Circumstances {
  /** All tokens were computed in the same steps both times. */
  readonly isReplayed: boolean;
  readonly textOf: (token: number) => string;
}

/** Up to this share of the largest logit, logits are taken to be the same. */
const roundingShare = 1e-3;
/** Other steps round differently: up to a fiftieth was measured on a small model with four bits a weight. */
const otherStepsShare = 0.05;

export const nothingStored: SelfTestResult = {
  tokens: 0,
  replayedTokens: 0,
  verdict: "nothing-stored",
  isSameChoice: false,
  maxDifference: null,
  scale: null,
  tie: null,
  restoreMs: 0,
  computeMs: 0,
};

export function compareEndings(fresh: Ending, restored: Ending, { isReplayed, textOf }: Circumstances): Comparison {
  const { maxDifference, scale } = difference(fresh, restored);
  if (fresh.logits === null || restored.logits === null || maxDifference === null || scale === null) {
    // Without numbers to compare, what is no number at all is different.
    const isSameChoice = fresh.choice !== null && fresh.choice === restored.choice;
    return { verdict: isSameChoice ? "same" : "different", isSameChoice, maxDifference, scale, tie: null };
  }
  const [first, second] = bestTwo(fresh.logits);
  const choice = bestTwo(restored.logits)[0];
  const isSameChoice = first === choice;
  const tie = tieOf([first, isSameChoice ? second : choice], fresh.logits, restored.logits, textOf);
  const verdict = verdictOf(maxDifference / scale, { isSameChoice, isReplayed });
  const isTie = verdict !== "different" && tie.distance <= 2 * maxDifference;
  return { verdict, isSameChoice, maxDifference, scale, tie: isTie ? tie : null };
}

function verdictOf(
  share: number,
  { isSameChoice, isReplayed }: { readonly isSameChoice: boolean; readonly isReplayed: boolean },
): SelfTestResult["verdict"] {
  if (share <= roundingShare) return isSameChoice ? "same" : "near-tie";
  return !isReplayed && share <= otherStepsShare ? "rounded" : "different";
}

function difference(fresh: Ending, restored: Ending): Pick<SelfTestResult, "maxDifference" | "scale"> {
  const [a, b] = [fresh.logits, restored.logits];
  if (a === null || b?.length !== a.length) return { maxDifference: null, scale: null };
  let maxDifference = 0;
  let scale = 0;
  for (const [index, logit] of a.entries()) {
    maxDifference = Math.max(maxDifference, Math.abs(logit - (b[index] ?? NaN)));
    scale = Math.max(scale, Math.abs(logit));
  }
  return Number.isFinite(maxDifference) ? { maxDifference, scale } : { maxDifference: null, scale: null };
}

function bestTwo(logits: Float32Array): readonly [number, number] {
  let [first, second] = [0, 0];
  for (const [token, logit] of logits.entries()) {
    if (token > 0 && logit > (logits[first] ?? 0)) [first, second] = [token, first];
    else if (token > 0 && (second === first || logit > (logits[second] ?? 0))) second = token;
  }
  return [first, second];
}

function tieOf(
  [first, second]: readonly [number, number],
  fresh: Float32Array,
  restored: Float32Array,
  textOf: Circumstances["textOf"],
): NonNullable<SelfTestResult["tie"]> {
  const candidate = (token: number) => ({
    text: textOf(token),
    fresh: fresh[token] ?? 0,
    restored: restored[token] ?? 0,
  });
  const [one, other] = [candidate(first), candidate(second)];
  return { first: one, second: other, distance: one.fresh - other.fresh };
}
