import { expect, test } from "vitest";
import type { ComparisonEvent } from "../../../src-main/contract/comparison.ts";
import { beginSides, reduceSides } from "../../../src-renderer/state/compared-sides.ts";
import { sampleReport } from "../../helpers/sample-report.ts";

const after = (...events: readonly ComparisonEvent[]) => events.reduce(reduceSides, beginSides(["a", "b"]));

test("both wait at first, and the plan is told", () => {
  const state = after({ type: "began", comparisonId: "c" }, { type: "plan", isTogether: true });
  expect(state).toMatchObject({ comparisonId: "c", isTogether: true });
  expect(state.sides).toMatchObject([
    { modelId: "a", phase: "waiting", text: "" },
    { modelId: "b", phase: "waiting", text: "" },
  ]);
});

test("each goes its own way from loading to its end", () => {
  const report = sampleReport();
  const error = { code: "ENGINE_FAILED", message: "It failed.", data: {} };
  const state = after(
    { type: "loading", side: 1 },
    { type: "prefill", side: 0, doneTokens: 5, totalTokens: 20 },
    { type: "delta", side: 0, text: "he" },
    { type: "delta", side: 0, text: "llo" },
    { type: "finished", side: 0, report },
    { type: "failed", side: 1, error },
  );
  expect(state.sides).toMatchObject([
    { phase: "finished", text: "hello", report, readFraction: 0.25 },
    { phase: "failed", text: "", error },
  ]);
});
