import { expect, test } from "vitest";
import type { FetchStatus } from "../../../src-main/contract/app-status.ts";
import { bytesPerSecond, transferReporter } from "../../../src-main/models/transfer-reporter.ts";

/** What is reported when `counts` are received at these milliseconds. */
function reports(...counts: [atMs: number, receivedBytes: number][]): [number, number | null][] {
  const reported: [number, number | null][] = [];
  const clock = counts.map(([atMs]) => atMs).values();
  const onStatus = (status: FetchStatus) => {
    if (status.state === "fetching") reported.push([status.receivedBytes, status.secondsLeft]);
  };
  const report = transferReporter("hub", 1_000, onStatus, () => clock.next().value ?? 0);
  counts.forEach(([, receivedBytes]) => {
    report(receivedBytes);
  });
  return reported;
}

test("the time left follows from the measured rate", () => {
  expect(reports([0, 0], [1_000, 200])).toEqual([
    [0, null],
    [200, 4],
  ]);
});

test("four reports a second are enough, but the last is always given", () => {
  expect(reports([0, 0], [100, 10], [249, 20], [250, 30], [260, 1_000]).map(([received]) => received)).toEqual([
    0, 30, 1_000,
  ]);
});

test("what was there before a resumed download does not count as speed", () => {
  expect(reports([0, 600], [1_000, 700]).at(-1)).toEqual([700, 3]);
});

test("a transfer that begins anew is measured anew", () => {
  const [receivedBytes, secondsLeft] = reports([0, 0], [1_000, 800], [2_000, 0], [3_000, 100]).at(-1) ?? [];
  expect(receivedBytes).toBe(100);
  expect(secondsLeft).toBeCloseTo(27);
});

test("what is long past does not count", () => {
  expect(reports([0, 0], [1_000, 500], [20_000, 500], [21_000, 600]).at(-1)).toEqual([600, 4]);
});

test("nothing is promised while nothing moves", () => {
  expect(bytesPerSecond([])).toBeNull();
  expect(
    bytesPerSecond([
      { atMs: 0, receivedBytes: 5 },
      { atMs: 9_000, receivedBytes: 5 },
    ]),
  ).toBeNull();
});
