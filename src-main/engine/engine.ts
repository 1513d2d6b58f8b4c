import type { SelfTestResult } from "../contract/cache.ts";
import type { PromptSize } from "../contract/draft.ts";
import type { EngineEvent, GenerateInput, LoadInput } from "../contract/engine-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import type { LoadedModel } from "../contract/model.ts";
import { EngineCache, type EngineCacheOptions } from "./engine-cache.ts";
import { answerPrompt } from "./generation/generate-turn.ts";
import { hasThoughts } from "./generation/thoughts.ts";
import { unstartedTurnReport } from "./generation/turn-report.ts";
import { IdleWork } from "./idle-work.ts";
import type { IdleOutcome, IdlePrompt } from "./idle/idle-step.ts";
import { closeLlama, loadLlama, type LoadedLlama } from "./llama/load-llama.ts";
import { emptyMemoryReport } from "./llama/memory-report.ts";
import { ModelFiles } from "./model-files.ts";
import { ModelSession, type LoadCall } from "./model-session.ts";
import { promptSize } from "./prompt-size.ts";
import { selfTest } from "./self-test.ts";
import { beginTurn } from "./session-turn.ts";
import { TurnQueue } from "./turn-queue.ts";

export interface GenerateOptions {
  /** Aborted when nobody reads the answer any more. */
  readonly signal: AbortSignal;
  readonly send: (event: EngineEvent) => void;
}

/**
 * The engine of one process. It owns llama.cpp, the loaded model, and who may compute: loads and answers take turns,
 * so a model is never changed under an answer.
 */
export class Engine implements AsyncDisposable {
  readonly #queue = new TurnQueue();
  readonly #stops = new Map<string, AbortController>();
  readonly #idle = new IdleWork(this.#queue, () => this.#session);
  readonly files = new ModelFiles({ library: () => this.#loadLlama(), session: () => this.#session });
  /** What is kept of it all between models. */
  readonly cache: EngineCache;
  #llama: Promise<LoadedLlama> | null = null;
  #session: ModelSession | null = null;
  #isClosed = false;

  constructor(options: EngineCacheOptions = {}) {
    const whenIdle = async () => {
      await this.#queue.runIdle(new AbortController().signal, () => Promise.resolve());
    };
    this.cache = new EngineCache(options, { whenIdle, session: () => this.#session });
  }

  /** Replaces the loaded model: its memory is freed first. When the load fails, none is loaded. */
  async load(input: LoadInput, options: LoadCall): Promise<LoadedModel> {
    const turn = await this.#queue.run(options.signal, async () => {
      const llama = await this.#loadLlama();
      await this.#closeSession();
      const surroundings = this.cache.open(input);
      this.#session = await ModelSession.load(llama, input, surroundings, options);
      this.cache.changed();
      return this.#session.description;
    });
    if (turn.started) return turn.result;
    throw options.signal.reason;
  }

  async unload(): Promise<void> {
    await this.#queue.run(new AbortController().signal, () => this.#closeSession());
  }

  /** Sends the answer's events; returns after `done`. Throws MODEL_MISSING, CONTEXT_FULL, TEMPLATE_FAILED, ENGINE_FAILED. */
  async generate(input: GenerateInput, { signal, send }: GenerateOptions): Promise<void> {
    const { generationId, sampling } = input;
    const arrivedAtMs = performance.now();
    const seed = sampling.seed ?? randomSeed();
    const stop = this.#register(generationId);
    const answer = new AnswerNotes(send);
    if (input.kind === "turn") this.#idle.stop();
    try {
      const ended = AbortSignal.any([signal, stop.signal]);
      const turn = await this.#queue.run(ended, async () => {
        const model = beginTurn(this.#loadedSession(), input);
        const startedAtMs = performance.now();
        const request = { sampling, seed, arrivedAtMs, startedAtMs, signal: ended, send: answer.send };
        await answerPrompt(model, model.prompt, request);
      });
      if (!turn.started) send(this.#neverStarted(seed, performance.now() - arrivedAtMs));
    } finally {
      this.#stops.delete(generationId);
      this.#afterTurn(input, answer);
    }
  }

  /** A generation that is over, or never was, is no error: its end and the wish to stop it may cross. */
  stop(generationId: string): void {
    this.#stops.get(generationId)?.abort();
  }

  /** Throws MODEL_MISSING, TEMPLATE_FAILED. */
  async measure({ messages }: IdlePrompt): Promise<PromptSize> {
    await this.#session?.model.room.refresh();
    return promptSize(this.#loadedSession(), messages);
  }

  /** Nothing is done without a model. Throws CONTEXT_FULL. */
  async warm(prompt: IdlePrompt): Promise<IdleOutcome> {
    return await this.#idle.warm(prompt);
  }

  /** `signal`: ends it, and what it has computed is kept. Throws CONTEXT_FULL. */
  async prepare(prompt: IdlePrompt, signal?: AbortSignal): Promise<{ tokens: number }> {
    const { tokens } = await this.#idle.prepare(prompt, signal);
    return { tokens };
  }

  /** Throws MODEL_MISSING, TEMPLATE_FAILED, ENGINE_FAILED. */
  async selfTest({ conversationId, messages }: IdlePrompt): Promise<SelfTestResult> {
    this.#idle.stop();
    const isWanted = () => this.#queue.isWanted;
    const turn = await this.#queue.run(new AbortController().signal, async () => {
      return await selfTest(this.#loadedSession(), { conversationId, messages, isWanted });
    });
    if (!turn.started) throw new RepriseError("ENGINE_STOPPED", "The engine is shutting down.", {});
    return turn.result;
  }

  async forget(conversationId: string): Promise<void> {
    await this.#queue.run(new AbortController().signal, async () => {
      await this.#session?.cache.forget(conversationId);
      this.cache.forget(conversationId);
    });
  }

  /** Stops what runs, hands over what is not stored yet, and frees everything: context, model, then llama.cpp. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    this.#idle[Symbol.dispose]();
    for (const stop of this.#stops.values()) stop.abort();
    await this.#queue.run(new AbortController().signal, async () => {
      await this.#closeSession();
      this.cache[Symbol.dispose]();
      // Where it never loaded, there is nothing to free.
      await this.#llama?.then(closeLlama, () => undefined);
    });
  }

  #afterTurn({ kind, conversationId, messages, tools }: GenerateInput, { done, text }: AnswerNotes): void {
    if (done === null || kind === "side") return;
    this.cache.count(done.report.shortfall);
    this.#idle.save();
    if (!hasThoughts(text)) return;
    const answer = { role: "assistant" as const, content: text, tokens: done.answerTokens };
    const restated = { conversationId, messages: [...messages, answer], ...(tools && { tools }) };
    void this.#idle.restate(restated).catch(() => undefined);
  }

  /** Once for the process; a failure is not kept, so that the next call may do better. */
  async #loadLlama(): Promise<LoadedLlama> {
    if (this.#isClosed) throw new RepriseError("ENGINE_STOPPED", "The engine is shutting down.", {});
    this.#llama ??= loadLlama();
    try {
      return await this.#llama;
    } catch (caught) {
      this.#llama = null;
      throw caught;
    }
  }

  /** What is in place goes to the store first. */
  async #closeSession(): Promise<void> {
    const session = this.#session;
    if (session === null) return;
    while (await session.cache.saveStep());
    session.cache.leave();
    this.#session = null;
    await session[Symbol.asyncDispose]();
    this.cache.store?.writeLate();
    this.cache.changed();
  }

  #loadedSession(): ModelSession {
    if (this.#session !== null) return this.#session;
    throw new RepriseError("MODEL_MISSING", "No model is loaded. Choose one, then send again.", { path: null });
  }

  #register(generationId: string): AbortController {
    if (this.#stops.has(generationId)) {
      const reason = `generation ${generationId} is running already`;
      throw new RepriseError("INVALID_INPUT", "This answer is being written already.", { reason });
    }
    const stop = new AbortController();
    this.#stops.set(generationId, stop);
    return stop;
  }

  #neverStarted(seed: number, queueMs: number): EngineEvent {
    const session = this.#session;
    const report = unstartedTurnReport({
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
}

/** What an answer came to, beside sending it. */
class AnswerNotes {
  text = "";
  done: Extract<EngineEvent, { type: "done" }> | null = null;
  readonly send: (event: EngineEvent) => void;

  constructor(send: (event: EngineEvent) => void) {
    this.send = (event) => {
      if (event.type === "delta") this.text += event.text;
      if (event.type === "done") this.done = event;
      send(event);
    };
  }
}

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
