import type { TurnReport } from "../../src-main/contract/turn-report.ts";

/** A report of a short answer on a small model. */
export function sampleReport(changes: Partial<TurnReport> = {}): TurnReport {
  return {
    promptTokens: 120,
    fromResident: 90,
    prefilled: 30,
    outputTokens: 64,
    queueMs: 0.4,
    prefillMs: 151.2,
    ttftMs: 163.7,
    decodeMs: 812.5,
    prefillTokensPerSecond: 198.4,
    decodeTokensPerSecond: 77.5,
    threads: { prefill: 2, decode: 1 },
    seed: 1_234_567,
    stopReason: "end",
    context: { usedTokens: 184, sizeTokens: 2_048 },
    memory: {
      weights: 96_600_000,
      kvAllocated: 47_185_920,
      kvLive: 4_239_360,
      kvThisTurn: 2_165_760,
      kvBytesPerToken: 23_040,
      computeBuffers: 103_000_000,
      processResident: 312_000_000,
    },
    ...changes,
  };
}
