/**
 * What the echo engine's models say as levels of one model. One with `coarse` in its name is of another opinion here and
 * there; one with `slow` reads nothing before it is told to end; one with `narrow` compares conversations of two messages
 * at most.
 */
import { once } from "node:events";
import { basename } from "node:path";
import type {
  CompareEvent,
  CompareInput,
  EngineEvent,
  GenerateInput,
  PredictInput,
  PredictionEvent,
} from "../../src-main/contract/engine-contract.ts";
import { errorView, RepriseError, toRepriseError } from "../../src-main/contract/errors.ts";

const isCoarse = (path: string) => basename(path).includes("coarse");
const isNarrow = (path: string) => basename(path).includes("narrow");
const narrowMessages = 2;

/** The answer's own tokens, but for every fourth of a coarse one. */
export async function* echoPredict(
  path: string,
  { messages, wanted }: PredictInput,
  signal: AbortSignal,
): AsyncGenerator<PredictionEvent> {
  const totalTokens = messages.length;
  for (const message of wanted) {
    yield { type: "progress", doneTokens: message, totalTokens };
    if (basename(path).includes("slow") && !signal.aborted) await once(signal, "abort");
    if (signal.aborted) return;
    const tokens = messages[message]?.tokens ?? null;
    if (tokens === null) yield { type: "left-out", message, reason: "other-tokens" };
    else {
      const said = tokens.map((token, place) => (isCoarse(path) && place % 4 === 3 ? token + 1_000 : token));
      yield { type: "answer", message, tokens: said };
    }
  }
  yield { type: "done", isInterrupted: false };
}

/** By turns, an event of each; the third piece of a coarse one's text is in capitals. */
export async function* echoCompare(
  { sides, ...prompt }: CompareInput,
  answer: (input: GenerateInput) => AsyncGenerator<EngineEvent>,
): AsyncGenerator<CompareEvent> {
  let running = sides.map(({ generationId, load }, side) => {
    const events = answer({ ...prompt, generationId, kind: "side", droppedMessages: 0 });
    const isTooLong = isNarrow(load.path) && prompt.messages.length > narrowMessages;
    return { side, events, isTooLong, isCoarse: isCoarse(load.path), pieces: 0 };
  });
  while (running.length > 0) {
    for (const each of [...running]) {
      const event = await nextOf(each);
      if (event !== null) yield event;
      const isOver = event === null || event.type === "failed";
      if (isOver) running = running.filter((other) => other !== each);
    }
  }
}

interface Running {
  readonly side: number;
  readonly events: AsyncGenerator<EngineEvent>;
  readonly isTooLong: boolean;
  readonly isCoarse: boolean;
  pieces: number;
}

async function nextOf(running: Running): Promise<CompareEvent | null> {
  const { side, events } = running;
  try {
    if (running.isTooLong) throw tooLong();
    const next = await events.next();
    if (next.done === true) return null;
    if (next.value.type !== "delta") return { type: "answer", side, event: next.value };
    running.pieces += 1;
    const isOther = running.isCoarse && running.pieces === 3;
    const text = isOther ? `${next.value.text.trimEnd().toUpperCase()}! ` : next.value.text;
    return { type: "answer", side, event: { ...next.value, text } };
  } catch (caught) {
    return { type: "failed", side, error: errorView(toRepriseError(caught)) };
  }
}

function tooLong(): RepriseError<"CONTEXT_FULL"> {
  const data = { promptTokens: 4 * narrowMessages, contextTokens: 2 * narrowMessages };
  return new RepriseError("CONTEXT_FULL", "The conversation is too long.", data);
}
