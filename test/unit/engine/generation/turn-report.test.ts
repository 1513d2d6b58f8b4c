import { expect, test } from "vitest";
import { turnReport, type TurnMeasurements } from "../../../../src-main/engine/generation/turn-report.ts";
import { turnReportSchema } from "../../../../src-main/contract/turn-report.ts";
import { sampleReport } from "../../../helpers/sample-report.ts";

const { memory, model } = sampleReport();

/** Arrived at 1,000 ms, begun at 1,100, first token at 1,400, last at 1,900. */
const measured: TurnMeasurements = {
  model,
  arrivedAtMs: 1_000,
  startedAtMs: 1_100,
  placement: {
    kind: "turn",
    isDraft: false,
    owner: "chat",
    owners: [],
    reusedTokens: 80,
    fromResident: 12,
    fromShared: 27,
    fromStore: 41,
    preparedTokens: 7,
    restored: { from: 10, to: 80, wanted: 80, elapsedMs: 12 },
    after: [],
    available: { residentTokens: 10, storedTokens: 80, isRestoreDeclined: false },
  },
  origins: { fromResident: 10, fromShared: 30, fromStore: 40, preparedTokens: 5 },
  prefilled: { logitIndex: 3, computed: 20, elapsedMs: 200 },
  decoded: { stopReason: "end", outputTokens: 50, sampledTokens: 51, firstTokenAtMs: 1_400, lastTokenAtMs: 1_900 },
  savedMs: 800,
  divergence: null,
  shortfall: null,
  seed: 7,
  threads: { prefill: 2, decode: 1 },
  context: { usedTokens: 150, sizeTokens: 2_048 },
  memory,
};

test("counts and speeds come from what was measured", () => {
  expect(turnReport(measured)).toEqual({
    model,
    promptTokens: 100,
    fromResident: 10,
    fromStore: 40,
    fromShared: 30,
    preparedTokens: 5,
    prefilled: 20,
    outputTokens: 50,
    queueMs: 100,
    restoreMs: 12,
    prefillMs: 200,
    savedMs: 800,
    ttftMs: 400,
    decodeMs: 500,
    prefillTokensPerSecond: 100,
    decodeTokensPerSecond: 100,
    threads: { prefill: 2, decode: 1 },
    divergence: null,
    shortfall: null,
    seed: 7,
    stopReason: "end",
    context: { usedTokens: 150, sizeTokens: 2_048 },
    memory,
  });
});

test("a turn stopped before its first token has no time to it and no speed", () => {
  expect(turnReport({ ...measured, decoded: null })).toMatchObject({
    ttftMs: null,
    decodeMs: 0,
    decodeTokensPerSecond: null,
    outputTokens: 0,
    stopReason: "stopped",
  });
});

test("one token has no speed", () => {
  const decoded = { ...measured.decoded, outputTokens: 1, sampledTokens: 1, lastTokenAtMs: 1_400 };
  const report = turnReport({ ...measured, decoded: { stopReason: "length", firstTokenAtMs: 1_400, ...decoded } });
  expect(report.decodeTokensPerSecond).toBeNull();
});

test("a report is what the contract says", () => {
  expect(turnReportSchema.safeParse(turnReport(measured)).success).toBe(true);
});
