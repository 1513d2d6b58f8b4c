import { errorView, RepriseError, toRepriseError } from "../contract/errors.ts";
import type { TurnReport } from "../contract/turn-report.ts";
import type { AnswerEnd } from "./ports.ts";

/** What the engine says when it has written an answer to its end, whatever the end was. */
export interface EngineOutcome {
  readonly answerTokens: readonly number[] | null;
  readonly report: TurnReport;
}

/** How an answer is kept that the engine ended by itself. */
export function endOf(content: string, { answerTokens: tokens, report }: EngineOutcome): AnswerEnd {
  const kept = { content, tokens, report };
  switch (report.stopReason) {
    case "end":
    case "length":
    case "stop-string":
    case "context-full":
      return { ...kept, status: "complete", error: null };
    case "stopped":
      return { ...kept, status: "stopped", error: null };
    case "failed":
      return { ...kept, status: "failed", error: errorView(engineFailed("it could not go on with this answer")) };
  }
}

/** How an answer is kept that ended in an error: a stop that came before the engine's own end is no failure. */
export function endAfterError(content: string, caught: unknown, wasStopped: boolean): AnswerEnd {
  const kept = { content, tokens: null, report: null };
  if (wasStopped) return { ...kept, status: "stopped", error: null };
  return { ...kept, status: "failed", error: errorView(toRepriseError(caught)) };
}

export function engineFailed(reason: string): RepriseError<"ENGINE_FAILED"> {
  const sentence = `The engine failed: ${reason}. The text so far is kept; send again, or choose another model.`;
  return new RepriseError("ENGINE_FAILED", sentence, { reason });
}
