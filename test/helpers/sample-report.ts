import type { TurnReport } from "../../src-main/contract/turn-report.ts";

/** A report of a short answer on a small model. */
export function sampleReport(changes: Partial<TurnReport> = {}): TurnReport {
  return {
    model: { name: "SmolLM2 135M Instruct", level: "Q4_1", weightsHash: "a".repeat(64) },
    promptTokens: 120,
    fromResident: 90,
    fromStore: 0,
    fromShared: 0,
    preparedTokens: 0,
    prefilled: 30,
    outputTokens: 64,
    queueMs: 0.4,
    restoreMs: 0,
    prefillMs: 151.2,
    savedMs: 453.6,
    ttftMs: 163.7,
    decodeMs: 812.5,
    prefillTokensPerSecond: 198.4,
    decodeTokensPerSecond: 77.5,
    threads: { prefill: 2, decode: 1 },
    divergence: null,
    shortfall: null,
    seed: 1_234_567,
    stopReason: "end",
    context: { usedTokens: 184, sizeTokens: 2_048 },
    memory: {
      weights: 96_600_000,
      kvAllocated: 47_185_920,
      kvLive: 4_239_360,
      kvThisTurn: 2_165_760,
      kvBytesPerToken: 23_040,
      kvShared: 0,
      kvParked: 0,
      store: null,
      computeBuffers: 103_000_000,
      otherModels: [],
      processResident: 312_000_000,
    },
    ...changes,
  };
}
