import { expect, test } from "vitest";
import { runFuzz } from "../fuzz/fuzz-run.ts";
import { fuzzSeed } from "../fuzz/mutants.ts";

test("the app survives damaged model files, and each ends with an answer or a sentence", async () => {
  const outcomes = await runFuzz({ seed: fuzzSeed, count: 200 });
  expect(outcomes).toHaveLength(200);
  expect(outcomes.filter(({ kind, sentence }) => kind !== "answered" && sentence === "")).toEqual([]);
  // The files are worth the while only while they reach every depth.
  const kinds = new Set(outcomes.map(({ kind }) => kind));
  expect([...kinds].sort()).toEqual(expect.arrayContaining(["answered", "failed", "refused"]));
});
