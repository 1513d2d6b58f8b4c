/** One answer as the engine writes it, from the request to the report. */
import type { EngineEvent, GenerateInput } from "../contract/engine-contract.ts";
import { engineFailed, type EngineOutcome } from "./answer-end.ts";
import type { EngineClient } from "./ports.ts";

/** An engine that does not react to a stop for so long is not waited for. */
const stopPatienceMs = 10_000;

export interface AnswerListener {
  prefill(doneTokens: number, totalTokens: number): void;
  delta(text: string): void;
}

/**
 * Passes on what the engine writes. `stop` ends it between two tokens, with a report; without an answer to that in ten
 * seconds it rejects with an abort error. Rejects with what the engine throws, and ENGINE_CRASHED when it dies.
 */
export async function streamAnswer(
  client: EngineClient,
  input: GenerateInput,
  stop: AbortSignal,
  listener: AnswerListener,
): Promise<EngineOutcome> {
  const giveUp = new AbortController();
  let patience: NodeJS.Timeout | undefined;
  const askToStop = () => {
    patience = setTimeout(() => {
      giveUp.abort();
    }, stopPatienceMs);
    client.stop({ generationId: input.generationId }).catch((error: unknown) => {
      giveUp.abort(error);
    });
  };
  stop.throwIfAborted();
  stop.addEventListener("abort", askToStop, { once: true });
  try {
    return await passOn(await client.generate(input, { signal: giveUp.signal }), listener);
  } finally {
    stop.removeEventListener("abort", askToStop);
    clearTimeout(patience);
  }
}

async function passOn(events: AsyncIterable<EngineEvent>, listener: AnswerListener): Promise<EngineOutcome> {
  for await (const event of events) {
    switch (event.type) {
      case "prefill":
        listener.prefill(event.doneTokens, event.totalTokens);
        break;
      case "delta":
        listener.delta(event.text);
        break;
      case "done":
        return { answerTokens: event.answerTokens, report: event.report };
    }
  }
  throw engineFailed("the answer broke off");
}
