/** What the checks of the store found, in a sentence. */
import type { SelfTestResult, VerifyResult } from "../../src-main/contract/cache.ts";
import { formatCount, formatDuration, formatSignificant } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

export function verifyText({ blocks, damaged, failure }: VerifyResult): string {
  if (failure !== null) return m.verify_failed({ reason: failure });
  if (blocks === 0) return m.verify_empty();
  if (damaged === 0) return blocks === 1 ? m.verify_one() : m.verify_intact({ blocks: formatCount(blocks) });
  return m.verify_damaged({ damaged: formatCount(damaged), blocks: formatCount(blocks) });
}

export function isVerified({ damaged, failure }: VerifyResult): boolean {
  return failure === null && damaged === 0;
}

export function selfTestText(result: SelfTestResult): string {
  const { verdict, tokens, replayedTokens } = result;
  if (verdict === "nothing-stored") return m.self_test_nothing();
  const times = { restore: formatDuration(result.restoreMs), compute: formatDuration(result.computeMs) };
  const head = m.self_test_restored({ tokens: formatCount(tokens), ...times });
  const unknown = verdict === "rounded" ? m.self_test_steps({ tokens: formatCount(tokens - replayedTokens) }) : null;
  return [head, verdictText(verdict), unknown, differenceText(result), tieText(result)]
    .filter((text) => text !== null)
    .join(" ");
}

function verdictText(verdict: Exclude<SelfTestResult["verdict"], "nothing-stored">): string {
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

/** Which tokens are so close that rounding may choose either. */
function tieText({ tie }: SelfTestResult): string | null {
  if (tie === null) return null;
  const { first, second, distance } = tie;
  return m.self_test_tie({
    first: shown(first.text),
    second: shown(second.text),
    distance: formatSignificant(distance),
  });
}

/** A token may be a blank or the end of a line. */
function shown(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function differenceText({ maxDifference, scale }: SelfTestResult): string | null {
  if (maxDifference === null || scale === null) return null;
  if (maxDifference === 0) return m.self_test_no_difference();
  return m.self_test_difference({ difference: formatSignificant(maxDifference), scale: formatSignificant(scale) });
}
