import type { ThreadTuning } from "../../contract/model.ts";

export type ThreadMeasurement = ThreadTuning["measured"][number];

/** A thread more must pay: within this share of the best speed, the fewer threads win. */
const worthwhileShare = 0.03;
/**
 * While an answer streams, the processes that store and show it need a core now and then, and all threads of a step wait
 * for the one that lost its core. On two cores an answer with two threads had 75 to 81 % of the speed measured alone,
 * one with a single thread 91 %.
 */
const shareOfApp = 0.15;

/** Thread counts worth measuring on a machine with so many cores: quarters of it. */
export function threadCandidates(cores: number): number[] {
  const quarters = [1, 2, 3, 4].map((quarter) => Math.max(1, Math.round((cores * quarter) / 4)));
  return [...new Set(quarters)];
}

/** `measured` holds at least one. `cores`: of the machine. */
export function chooseThreads(measured: readonly ThreadMeasurement[], cores: number): ThreadTuning {
  const besideApp = ({ threads, decodeTokensPerSecond }: ThreadMeasurement) =>
    threads >= cores ? decodeTokensPerSecond * (1 - shareOfApp) : decodeTokensPerSecond;
  return {
    prefill: fewestFast(measured, (measurement) => measurement.prefillTokensPerSecond),
    decode: fewestFast(measured, besideApp),
    measured: [...measured],
  };
}

function fewestFast(measured: readonly ThreadMeasurement[], speed: (measurement: ThreadMeasurement) => number): number {
  const best = measured.reduce((most, measurement) => Math.max(most, speed(measurement)), 0);
  const fast = measured.filter((measurement) => speed(measurement) >= best * (1 - worthwhileShare));
  return fast.reduce((fewest, { threads }) => Math.min(fewest, threads), Infinity);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}
