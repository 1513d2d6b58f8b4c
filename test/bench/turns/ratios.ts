/** What is compared with what, and how far apart it may be: medians over pairs taken in turn. */
import { median } from "../../../src-main/engine/tuning/choose-threads.ts";
import type { Side, Turn } from "./side.ts";

export interface Sample extends Turn {
  readonly scenario: string;
  readonly step: string;
  readonly side: Side["name"];
  readonly round: number;
  /** Its place among the same steps of its round. */
  readonly visit: number;
  readonly writtenBytes: number | null;
}

export interface Ratio {
  readonly name: string;
  /** `null` where one of the two was not measured. */
  readonly value: number | null;
  readonly pairs: number;
  readonly atMost?: number;
  readonly atLeast?: number;
}

type Series = readonly [side: Side["name"], step: string];
type Figure = (sample: Sample) => number;

const ttft: Figure = (sample) => sample.ttftMs;
const speed: Figure = (sample) => sample.tokensPerSecond ?? NaN;
const [ours, peer] = ["reprise", "llama-server"] as const;

const writingTurns = 5;

export function ratiosOf(samples: readonly Sample[]): Ratio[] {
  const compare = (figure: Figure, [side, step]: Series, [otherSide, otherStep]: Series) => {
    const others = new Map(of(samples, otherSide, otherStep).map((sample) => [pairOf(sample), sample]));
    const values = of(samples, side, step).flatMap((sample) => {
      const other = others.get(pairOf(sample));
      return other === undefined ? [] : [figure(sample) / figure(other)];
    });
    return { value: values.length === 0 ? null : median(values), pairs: values.length };
  };
  const against = (step: string) => compare(ttft, [ours, step], [peer, step]);
  const afterRestart = compare(ttft, [ours, "after the restart"], [ours, "next turn before the restart"]);
  const peerRestart = compare(ttft, [peer, "after the restart"], [peer, "next turn before the restart"]);
  const [atOnce, opened] = ["switch, send at once", "opened a second before"];
  return [
    { name: "cold / llama-server's", ...against("cold"), atMost: 1 },
    { name: "next turn / llama-server's", ...against("next turn"), atMost: 1.05 },
    { name: "branch / llama-server's", ...against("branch") },
    { name: "regenerate / llama-server's", ...against("regenerate") },
    { name: "same document, new chat / llama-server's", ...against("same document, new chat") },
    {
      name: "switch, send at once / our next turn",
      ...compare(ttft, [ours, atOnce], [ours, "next turn after the switch"]),
      atMost: 1.25,
    },
    { name: "switch, send at once / llama-server's", ...against(atOnce), atMost: 1 },
    {
      name: "opened a second before / our next turn",
      ...compare(ttft, [ours, opened], [ours, "next turn after opening"]),
      atMost: 1.05,
    },
    { name: "paste, type, send / llama-server's", ...against("paste, type, send"), atMost: 0.05 },
    { name: "after the restart / our next turn", ...afterRestart, atMost: 1.3 },
    { name: "after the restart / its next turn, llama-server", ...peerRestart },
    { name: "after the restart, tokens computed / new ones", ...computedAfterRestart(samples), atMost: 1 },
    {
      name: "decode with 8 warm / alone",
      ...compare(speed, [ours, "decode with 8 warm"], [ours, "decode alone"]),
      atLeast: 0.97,
    },
    { name: "written a new token, turn 100 / turn 10", ...writtenLate(samples), atMost: 1.2 },
    // The second chat has its own question and answer, less than a block.
    { name: "written for the same document again / at first", ...writtenAgain(samples), atMost: 0.2 },
  ];
}

/** `null`: not measured, or nothing to hold it to. */
export function holds({ value, atMost, atLeast }: Ratio): boolean | null {
  if (value === null || (atMost === undefined && atLeast === undefined)) return null;
  return value <= (atMost ?? Infinity) && value >= (atLeast ?? -Infinity);
}

/** New are the tokens that did not stand in the context before; the answer's last one was sampled but never computed. */
function computedAfterRestart(samples: readonly Sample[]) {
  const before = new Map(of(samples, ours, "next turn before the restart").map((sample) => [pairOf(sample), sample]));
  const values = of(samples, ours, "after the restart").flatMap((after) => {
    const last = before.get(pairOf(after));
    if (last === undefined) return [];
    const newTokens = after.promptTokens - (last.promptTokens + last.outputTokens - 1);
    return [after.computedTokens / newTokens];
  });
  return { value: values.length === 0 ? null : Math.max(...values), pairs: values.length };
}

/**
 * Bytes for each token that the conversation grew by. Whole blocks are written, so most turns write nothing: what counts
 * is the growth from one turn that wrote to another, over the first few of them and over the last few.
 */
function writtenLate(samples: readonly Sample[]) {
  const turns = samples.filter(({ scenario, side }) => scenario === "long" && side === ours);
  // With the first turn also come the tails of the conversation that was left for it.
  const writing = turns.slice(1).filter(({ writtenBytes }) => (writtenBytes ?? 0) > 0);
  const enough = writing.length >= 2 * writingTurns;
  const [early, late] = [writtenAToken(writing.slice(0, writingTurns)), writtenAToken(writing.slice(-writingTurns))];
  return { value: enough ? late / early : null, pairs: 1 };
}

function writtenAToken(writing: readonly Sample[]): number {
  const [firstTokens = NaN, lastTokens = NaN] = [writing.at(0), writing.at(-1)].map(
    (turn) => turn?.promptTokens ?? NaN,
  );
  const bytes = writing.slice(1).reduce((sum, { writtenBytes }) => sum + (writtenBytes ?? 0), 0);
  return bytes / (lastTokens - firstTokens);
}

function writtenAgain(samples: readonly Sample[]) {
  const first = new Map(of(samples, ours, "cold").map((sample) => [pairOf(sample), sample.writtenBytes]));
  const values = of(samples, ours, "same document, new chat").flatMap((again) => {
    const [firstBytes, bytes] = [first.get(pairOf(again)) ?? null, again.writtenBytes];
    return firstBytes === null || firstBytes === 0 || bytes === null ? [] : [bytes / firstBytes];
  });
  return { value: values.length === 0 ? null : median(values), pairs: values.length };
}

function of(samples: readonly Sample[], side: Side["name"], step: string): Sample[] {
  return samples.filter((sample) => sample.side === side && sample.step === step);
}

function pairOf({ scenario, round, visit }: Sample): string {
  return `${scenario}/${round}/${visit}`;
}
