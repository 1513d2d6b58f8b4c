/** One prompt, answered by two models by turns: each computes while the other waits for its next token. */
import type { CompareEvent, CompareInput, EngineEvent } from "../../contract/engine-contract.ts";
import { errorView, toRepriseError } from "../../contract/errors.ts";
import { answerPrompt } from "../generation/generate-turn.ts";
import type { ModelSession } from "../model-session.ts";
import { ComparedTurn } from "./compared-turn.ts";

export interface CompareCall {
  readonly seed: number;
  readonly arrivedAtMs: number;
  /** Of each side: ends its answer between two tokens or prefill chunks. */
  readonly signals: readonly AbortSignal[];
  readonly send: (event: CompareEvent) => void;
}

/**
 * Sends `done` or `failed` of each side; what was in place is there again when it returns. `sessions`: in the order of
 * the sides.
 */
export async function compareModels(
  sessions: readonly ModelSession[],
  input: CompareInput,
  { seed, arrivedAtMs, signals, send }: CompareCall,
): Promise<void> {
  const startedAtMs = performance.now();
  const onFailure = (side: number) => (caught: unknown) => {
    send({ type: "failed", side, error: errorView(toRepriseError(caught)) });
    return null;
  };
  const turns: (ComparedTurn | null)[] = [];
  // One after the other: each counts the memory that the one before has left.
  for (const [side, session] of sessions.entries()) turns.push(await beginTurn(session, input).catch(onFailure(side)));
  const answers = turns.map(async (turn, side) => {
    const request = {
      sampling: input.sampling,
      seed,
      arrivedAtMs,
      startedAtMs,
      signal: signals[side] ?? AbortSignal.abort(),
      send: (event: EngineEvent) => {
        send({ type: "answer", side, event });
      },
    };
    if (turn !== null) await answerPrompt(turn, turn.prompt, request).catch(onFailure(side));
  });
  await Promise.all(answers);
}

/** Throws TEMPLATE_FAILED, ENGINE_FAILED. */
async function beginTurn(session: ModelSession, input: CompareInput): Promise<ComparedTurn> {
  const turn = new ComparedTurn(session, input);
  await turn.makeRoom();
  return turn;
}
