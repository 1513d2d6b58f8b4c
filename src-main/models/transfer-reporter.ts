import type { FetchStatus } from "../contract/app-status.ts";

type Source = Extract<FetchStatus, { state: "fetching" }>["source"];

interface Sample {
  readonly atMs: number;
  readonly receivedBytes: number;
}

const reportEveryMs = 250;
/** Long enough to be steady, short enough to follow a connection that changes. */
const rateOverMs = 10_000;
const rateNeedsMs = 500;

/** The rate between the first and the last sample; `null` while that says nothing yet. */
export function bytesPerSecond(samples: readonly Sample[]): number | null {
  const first = samples[0];
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return null;
  const elapsedMs = last.atMs - first.atMs;
  const bytes = last.receivedBytes - first.receivedBytes;
  return elapsedMs < rateNeedsMs || bytes <= 0 ? null : bytes / (elapsedMs / 1_000);
}

/** Returns a function to call with every count of received bytes; it reports the first, the last, and four a second. */
export function transferReporter(
  source: Source,
  totalBytes: number,
  onStatus: (status: FetchStatus) => void,
  nowMs: () => number = () => performance.now(),
): (receivedBytes: number) => void {
  let samples: readonly Sample[] = [];
  return (receivedBytes) => {
    const atMs = nowMs();
    const lastMs = samples.at(-1)?.atMs;
    if (lastMs !== undefined && atMs - lastMs < reportEveryMs && receivedBytes !== totalBytes) return;
    // Fewer bytes than before: the transfer began anew, and so does the measurement.
    const kept = samples.filter((sample) => sample.receivedBytes <= receivedBytes && atMs - sample.atMs <= rateOverMs);
    samples = [...kept, { atMs, receivedBytes }];
    const rate = bytesPerSecond(samples);
    const secondsLeft = rate === null ? null : (totalBytes - receivedBytes) / rate;
    onStatus({ state: "fetching", source, receivedBytes, totalBytes, bytesPerSecond: rate, secondsLeft });
  };
}
