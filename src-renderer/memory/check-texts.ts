/** What the checks of the store found, in a sentence. */
import type { SelfTestResult, VerifyResult } from "../../src-main/contract/cache.ts";
import { formatCount, formatDuration, formatSignificant } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

/** Up to this share of the largest logit, differences are of no account. */
const exactShare = 1e-3;
/**
 * Up to this share they may come from rounding alone: kernels round differently by batch shape, and a small model with
 * four bits a weight, computed twice in different portions, was measured to differ by a fiftieth.
 */
const roundingShare = 0.05;

export function verifyText({ blocks, damaged, failure }: VerifyResult): string {
  if (failure !== null) return m.verify_failed({ reason: failure });
  if (blocks === 0) return m.verify_empty();
  if (damaged === 0) return blocks === 1 ? m.verify_one() : m.verify_intact({ blocks: formatCount(blocks) });
  return m.verify_damaged({ damaged: formatCount(damaged), blocks: formatCount(blocks) });
}

export function isVerified({ damaged, failure }: VerifyResult): boolean {
  return failure === null && damaged === 0;
}

type Verdict = "nothing-stored" | "same" | "rounded" | "near-tie" | "different";

export function selfTestVerdict(result: SelfTestResult): Verdict {
  if (result.tokens === 0) return "nothing-stored";
  const { isSameChoice, maxDifference, scale } = result;
  if (maxDifference === null || scale === null) return isSameChoice ? "same" : "different";
  if (maxDifference > roundingShare * scale) return "different";
  if (!isSameChoice) return "near-tie";
  return maxDifference <= exactShare * scale ? "same" : "rounded";
}

export function selfTestText(result: SelfTestResult): string {
  const verdict = selfTestVerdict(result);
  if (verdict === "nothing-stored") return m.self_test_nothing();
  const times = { restore: formatDuration(result.restoreMs), compute: formatDuration(result.computeMs) };
  const head = m.self_test_restored({ tokens: formatCount(result.tokens), ...times });
  return [head, verdictText(verdict), differenceText(result)].filter((text) => text !== null).join(" ");
}

function verdictText(verdict: Exclude<Verdict, "nothing-stored">): string {
  switch (verdict) {
    case "same":
      return m.self_test_same();
    case "rounded":
      return m.self_test_rounded();
    case "near-tie":
      return m.self_test_near_tie();
    case "different":
      return m.self_test_different();
  }
}

function differenceText({ maxDifference, scale }: SelfTestResult): string | null {
  if (maxDifference === null || scale === null) return null;
  if (maxDifference === 0) return m.self_test_no_difference();
  return m.self_test_difference({ difference: formatSignificant(maxDifference), scale: formatSignificant(scale) });
}
