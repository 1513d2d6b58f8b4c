import { expect, test } from "vitest";
import { MeasuredCosts } from "../../../../src-main/engine/kv/measured-costs.ts";
import { prefillMs, restoreMs } from "../../../../src-main/engine/kv/reuse-costs.ts";

test("before anything is measured, restoring is tried", () => {
  const measured = new MeasuredCosts(null);
  expect(measured.knowsPrefill).toBe(false);
  expect(restoreMs(measured.costs, 1_000)).toBeLessThan(prefillMs(measured.costs, 0, 1_000));
});

test("what was measured when threads were chosen counts until something is computed", () => {
  const measured = new MeasuredCosts(200);
  expect(measured.knowsPrefill).toBe(true);
  expect(prefillMs(measured.costs, 0, 100)).toBeCloseTo(500);
});

test("a prefill that slows down with its depth is told for any depth", () => {
  const measured = new MeasuredCosts(null);
  const stepMs = (position: number) => 2 + 0.004 * position;
  const elapsedMs = (from: number, to: number) => {
    let sum = 0;
    for (let position = from; position < to; position += 1) sum += stepMs(position);
    return sum;
  };
  for (let from = 0; from < 1_024; from += 256) measured.notePrefill(from, from + 256, elapsedMs(from, from + 256));
  expect(prefillMs(measured.costs, 0, 1_024)).toBeCloseTo(elapsedMs(0, 1_024), 3);
  expect(prefillMs(measured.costs, 2_000, 2_100)).toBeCloseTo(elapsedMs(2_000, 2_100), 3);
});

test("a few tokens say nothing of many", () => {
  const measured = new MeasuredCosts(null);
  measured.notePrefill(0, 4, 400);
  expect(measured.knowsPrefill).toBe(false);
});

test("restoring has a price of its own and one for each token; neither is below zero", () => {
  const measured = new MeasuredCosts(null);
  for (const tokens of [100, 500, 2_000]) measured.noteRestore(tokens, 10 + 0.02 * tokens);
  expect(restoreMs(measured.costs, 1_000)).toBeCloseTo(30, 3);
  const falling = new MeasuredCosts(null);
  falling.noteRestore(100, 50);
  falling.noteRestore(1_000, 10);
  expect(restoreMs(falling.costs, 100_000)).toBeGreaterThanOrEqual(0);
});
