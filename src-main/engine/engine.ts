import type { EngineEvent, GenerateInput, LoadInput } from "../contract/engine-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import type { GgufSummary, LoadedModel } from "../contract/model.ts";
import { generateTurn } from "./generation/generate-turn.ts";
import { unstartedTurnReport } from "./generation/turn-report.ts";
import { inspectModel } from "./llama/inspect-model.ts";
import { closeLlama, loadLlama, type LoadedLlama } from "./llama/load-llama.ts";
import { emptyMemoryReport } from "./llama/memory-report.ts";
import { ModelSession, type LoadOptions } from "./model-session.ts";
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
  #llama: Promise<LoadedLlama> | null = null;
  #session: ModelSession | null = null;
  #isClosed = false;

  async inspect(path: string): Promise<GgufSummary> {
    const { llama } = await this.#loadLlama();
    return inspectModel(llama, path).summary;
  }

  /** Replaces the loaded model: its memory is freed first. When the load fails, none is loaded. */
  async load(input: LoadInput, options: LoadOptions): Promise<LoadedModel> {
    const turn = await this.#queue.run(options.signal, async () => {
      const llama = await this.#loadLlama();
      await this.#closeSession();
      this.#session = await ModelSession.load(llama, input, options);
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
    const { generationId, messages, sampling } = input;
    const arrivedAtMs = performance.now();
    const seed = sampling.seed ?? randomSeed();
    const stop = this.#register(generationId);
    try {
      const ended = AbortSignal.any([signal, stop.signal]);
      const turn = await this.#queue.run(ended, async () => {
        const session = this.#loadedSession();
        const startedAtMs = performance.now();
        await generateTurn(session, messages, { sampling, seed, arrivedAtMs, startedAtMs, signal: ended, send });
      });
      if (!turn.started) send(this.#neverStarted(seed, performance.now() - arrivedAtMs));
    } finally {
      this.#stops.delete(generationId);
    }
  }

  /** A generation that is over, or never was, is no error: its end and the wish to stop it may cross. */
  stop(generationId: string): void {
    this.#stops.get(generationId)?.abort();
  }

  /** Stops what runs and frees everything: context, model, then llama.cpp. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops.values()) stop.abort();
    await this.#queue.run(new AbortController().signal, async () => {
      await this.#closeSession();
      // Where it never loaded, there is nothing to free.
      await this.#llama?.then(closeLlama, () => undefined);
    });
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

  async #closeSession(): Promise<void> {
    const session = this.#session;
    this.#session = null;
    await session?.[Symbol.asyncDispose]();
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
      context: { usedTokens: session?.cache.length ?? 0, sizeTokens: session?.contextTokens ?? 0 },
      memory: session?.memory(0) ?? emptyMemoryReport(process.memoryUsage.rss()),
    });
    return { type: "done", answerTokens: [], report };
  }
}

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
