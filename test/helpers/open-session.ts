import { join } from "node:path";
import { EngineCache } from "../../src-main/engine/engine-cache.ts";
import { answerPrompt } from "../../src-main/engine/generation/generate-turn.ts";
import { ModelSession } from "../../src-main/engine/model-session.ts";
import type { EngineEvent, GenerateInput } from "../../src-main/contract/engine-contract.ts";
import { defaultLoadOptions } from "../../src-main/contract/model-settings.ts";
import { cheapRestore } from "./cached-chat.ts";
import { greedySampling } from "./greedy.ts";
import { openOptions, sharedLlama } from "./open-tiny-model.ts";
import { beginTurn } from "../../src-main/engine/session-turn.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "./tiny-gguf.ts";

/** A tiny model with its cache and a store, without the engine around it. */
export async function openSession(model: TinyModelOptions = {}): Promise<ModelSession & AsyncDisposable> {
  return await openSessionOf(await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), model));
}

/** The same of a file that is there. */
export async function openSessionOf(path: string): Promise<ModelSession & AsyncDisposable> {
  const cache = new EngineCache(
    { fixedCosts: cheapRestore },
    { whenIdle: () => Promise.resolve(), models: () => ({ all: [], active: null }) },
  );
  const store = { isEnabled: true, budgetBytes: 1e9 };
  const surroundings = cache.open({ cacheFolder: temporaryFolder(), store, pinned: [] });
  const tuning = { prefill: 1, decode: 1, measured: [] };
  return await ModelSession.load(
    await sharedLlama(),
    { path, options: { ...defaultLoadOptions, contextTokens: 1_024 }, tuning },
    surroundings,
    openOptions,
  );
}

/** Answers the last of these messages, greedily. */
export async function answer(
  session: ModelSession,
  messages: GenerateInput["messages"],
  maxTokens = 8,
): Promise<{ readonly text: string; readonly done: Extract<EngineEvent, { type: "done" }> }> {
  const turn = beginTurn(session, { kind: "turn", conversationId: "one", messages, droppedMessages: 0 });
  const events: EngineEvent[] = [];
  await answerPrompt(turn, turn.prompt, {
    sampling: { ...greedySampling, maxTokens },
    seed: 1,
    arrivedAtMs: performance.now(),
    startedAtMs: performance.now(),
    signal: openOptions.signal,
    send: (event) => events.push(event),
  });
  const done = events.find((event) => event.type === "done");
  if (done === undefined) throw new Error("the answer has no end");
  return { text: events.map((event) => (event.type === "delta" ? event.text : "")).join(""), done };
}
