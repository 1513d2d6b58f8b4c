import { median } from "../../../src-main/engine/tuning/choose-threads.ts";
import type { TurnsResult } from "../turns.ts";
import { holds, type Ratio, type Sample } from "./ratios.ts";

/** The tables a person reads: medians of each step on both sides, then what is held to a limit. */
export function printTurns({ model, peer, rounds, ratios, samples }: TurnsResult): void {
  const { tuning, flashAttention, summary } = model;
  const load = tuning.underLoad === true ? ", measured under load" : "";
  console.log(`${summary.name}, ${model.path}`);
  console.log(
    `threads ${tuning.prefill}/${tuning.decode}${load}; flash attention ${flashAttention ? "on" : "off"}; ${rounds} rounds`,
  );
  console.table(stepTable(samples, peer !== null));
  console.table(Object.fromEntries(ratios.filter(({ value }) => value !== null).map(ratioRow)));
  if (peer !== null) console.log(promptComparison(samples));
}

function stepTable(samples: readonly Sample[], hasPeer: boolean): Record<string, Record<string, string>> {
  const bySteps = Map.groupBy(samples, ({ step }) => rowName(step));
  const rows = [...bySteps].map(([name, all]) => {
    const [ours, peers] = [all.filter(isOurs), all.filter((sample) => !isOurs(sample))];
    const peerCells = {
      "peer, ms": middle(peers, ({ ttftMs }) => ttftMs),
      "peer's prompt, ms": middle(peers, ({ reportedMs }) => reportedMs),
      "peer computed": middle(peers, ({ computedTokens }) => computedTokens),
      "peer tokens/s": middle(peers, ({ tokensPerSecond }) => tokensPerSecond, 1),
    };
    return [
      name,
      {
        prompt: middle(ours, ({ promptTokens }) => promptTokens),
        "Reprise, ms": middle(ours, ({ ttftMs }) => ttftMs),
        "engine, ms": middle(ours, ({ reportedMs }) => reportedMs),
        computed: middle(ours, ({ computedTokens }) => computedTokens),
        "tokens/s": middle(ours, ({ tokensPerSecond }) => tokensPerSecond, 1),
        "to disk, KB": middle(ours, ({ writtenBytes }) => writtenBytes && writtenBytes / 1_000),
        ...(hasPeer ? peerCells : {}),
      },
    ] as const;
  });
  return Object.fromEntries(rows);
}

/** A hundred turns are too many rows: of them, those about the tenth and the last ones. */
function rowName(step: string): string {
  const turn = Number(/^turn (\d+)$/.exec(step)?.[1] ?? NaN);
  if (Number.isNaN(turn)) return step;
  if (turn === 1) return "long conversation, first turn";
  const decade = Math.ceil(turn / 10) * 10;
  return decade === 10 || decade === 100 ? `long conversation, turns to ${decade}` : "long conversation, between";
}

function middle(samples: readonly Sample[], figure: (sample: Sample) => number | null, fractionDigits = 0): string {
  const values = samples.flatMap((sample) => figure(sample) ?? []);
  return values.length === 0 ? "" : median(values).toFixed(fractionDigits);
}

function ratioRow(ratio: Ratio): [string, Record<string, string>] {
  const { name, value, pairs, atMost, atLeast } = ratio;
  const limit = atMost === undefined ? (atLeast === undefined ? "" : `≥ ${atLeast}`) : `≤ ${atMost}`;
  const verdict = { true: "holds", false: "MISSED", null: "" }[String(holds(ratio)) as "true" | "false" | "null"];
  return [name, { ratio: value?.toFixed(3) ?? "", limit, verdict, pairs: String(pairs) }];
}

/** Whether both were really asked the same, and answered alike. */
function promptComparison(samples: readonly Sample[]): string {
  const key = ({ scenario, step, round, visit }: Sample) => `${scenario}/${step}/${round}/${visit}`;
  const others = new Map(samples.filter((sample) => !isOurs(sample)).map((sample) => [key(sample), sample]));
  const pairs = samples.filter(isOurs).flatMap((sample) => {
    const other = others.get(key(sample));
    return other === undefined ? [] : [{ sample, other }];
  });
  const longer = pairs.filter(({ sample, other }) => sample.promptTokens !== other.promptTokens);
  const alike = pairs.filter(({ sample, other }) => sample.text.trim() === other.text.trim());
  const widest = Math.max(0, ...longer.map(({ sample, other }) => Math.abs(sample.promptTokens - other.promptTokens)));
  const counts =
    longer.length === 0
      ? `All ${pairs.length} pairs of prompts have the same number of tokens.`
      : `${longer.length} of ${pairs.length} pairs of prompts differ in length, by ${widest} tokens at most.`;
  return `${counts} ${alike.length} of the answers are the same word for word.`;
}

function isOurs({ side }: Sample): boolean {
  return side === "reprise";
}
