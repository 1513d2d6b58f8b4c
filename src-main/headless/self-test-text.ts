import type { SelfTestResult } from "../contract/cache.ts";
import { withoutControls } from "./text-format.ts";

const verdicts: Readonly<Record<Exclude<SelfTestResult["verdict"], "nothing-stored">, string>> = {
  same: "Both choose the same next token.",
  "near-tie": "They choose different next tokens at a near tie, which rounding decides.",
  rounded:
    "They differ by no more than rounding does, and not all of it could be computed in the portions in which it was computed first.",
  different:
    "They do not agree: what is stored of this conversation is not what computing it gives. Remove it with “reprise cache clear”; no conversation is lost.",
};

/** What a conversation that was restored and computed afresh came to, in sentences. */
export function selfTestText(result: SelfTestResult): string {
  const { verdict, tokens, restoreMs, computeMs } = result;
  if (verdict === "nothing-stored")
    return "Nothing of this conversation is stored yet, so there was nothing to restore.";
  const times = `${seconds(restoreMs)} and computed afresh in ${seconds(computeMs)}`;
  const head = `${tokens} tokens were restored in ${times}.`;
  return [head, verdicts[verdict], ...differenceText(result), ...tieText(result)].join(" ");
}

function differenceText({ maxDifference, scale }: SelfTestResult): string[] {
  if (maxDifference === null || scale === null) return [];
  if (maxDifference === 0) return ["Every logit is equal."];
  return [`No logit differs by more than ${figure(maxDifference)}; the largest is ${figure(scale)}.`];
}

function tieText({ tie }: SelfTestResult): string[] {
  if (tie === null) return [];
  const [first, second] = [shown(tie.first.text), shown(tie.second.text)];
  return [
    `The two likeliest next tokens are nearly tied: “${first}” is ahead of “${second}” by ${figure(tie.distance)}.`,
  ];
}

/** A token may be a blank or the end of a line. */
function shown(text: string): string {
  return withoutControls(JSON.stringify(text).slice(1, -1));
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(2)} s`;
}

function figure(value: number): string {
  return String(Number(value.toPrecision(2)));
}
