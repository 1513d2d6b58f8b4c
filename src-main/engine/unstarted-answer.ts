import type { EngineEvent } from "../contract/engine-contract.ts";
import { unstartedTurnReport } from "./generation/turn-report.ts";
import { emptyMemoryReport } from "./llama/memory-report.ts";
import type { ModelSession } from "./model-session.ts";

/** The end of an answer that was stopped while it waited. `session`: the model that would have written it. */
export function unstartedAnswer(session: ModelSession | null, seed: number, queueMs: number): EngineEvent {
  const report = unstartedTurnReport({
    model: null,
    queueMs,
    seed,
    stopReason: "stopped",
    context: {
      usedTokens: session?.cache.cells.length ?? 0,
      sizeTokens: session?.contextTokens ?? 0,
      limitTokens: session?.limitTokens ?? 0,
    },
    memory: session?.memory({ addedTokens: 0, conversationId: "" }) ?? emptyMemoryReport(process.memoryUsage.rss()),
  });
  return { type: "done", answerTokens: [], report };
}
