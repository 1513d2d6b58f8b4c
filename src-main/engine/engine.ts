import type { SelfTestResult } from "../contract/cache.ts";
import type { PromptSize } from "../contract/draft.ts";
import type {
  CompareEvent,
  CompareInput,
  EngineEvent,
  GenerateInput,
  LoadInput,
  PredictInput,
  PredictionEvent,
  SwitchInput,
} from "../contract/engine-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import type { LoadedModel } from "../contract/model.ts";
import type { EngineSwitchCost } from "../contract/model-switch.ts";
import type { TurnReport } from "../contract/turn-report.ts";
import { predictAnswers } from "./agreement/predict-answers.ts";
import { AnswerNotes } from "./answer-notes.ts";
import { closeAnswer } from "./close-answer.ts";
import { compareModels } from "./comparison/compare-models.ts";
import { EngineCache, type EngineCacheOptions } from "./engine-cache.ts";
import { answerPrompt } from "./generation/generate-turn.ts";
import { hasThoughts } from "./generation/thoughts.ts";
import { IdleWork, type RefillListener } from "./idle-work.ts";
import type { IdleOutcome, IdlePrompt } from "./idle/idle-step.ts";
import { LoadedLibrary } from "./llama/loaded-library.ts";
import { ModelFiles } from "./model-files.ts";
import type { LoadCall, ModelSession } from "./model-session.ts";
import { promptSize } from "./prompt-size.ts";
import { ResidentModels } from "./resident-models.ts";
import { selfTest } from "./self-test.ts";
import { beginTurn } from "./session-turn.ts";
import { switchCost } from "./switch-cost.ts";
import { Templates } from "./templates.ts";
import { TurnQueue } from "./turn-queue.ts";
import { unstartedAnswer } from "./unstarted-answer.ts";

interface CallOptions<Event> {
  /** Aborted when nobody reads the answer any more. */
  readonly signal: AbortSignal;
  readonly send: (event: Event) => void;
}

/**
 * The engine of one process. It owns llama.cpp, the models in memory, and who may compute: loads and answers take turns,
 * so a model is never changed under an answer.
 */
export class Engine implements AsyncDisposable {
  readonly #queue = new TurnQueue();
  readonly #stops = new Map<string, AbortController>();
  readonly #library = new LoadedLibrary();
  readonly files: ModelFiles;
  readonly templates: Templates;
  /** What is kept of it all between models. */
  readonly cache: EngineCache;
  /** To be changed in turns of the queue only. */
  readonly #models: ResidentModels;
  readonly #idle: IdleWork;

  constructor(options: EngineCacheOptions = {}) {
    const whenIdle = async () => {
      await this.#queue.runIdle(new AbortController().signal, () => Promise.resolve());
    };
    const library = () => this.#library.get();
    this.cache = new EngineCache(options, { whenIdle, models: () => this.#models });
    this.#models = new ResidentModels({ library, cache: this.cache });
    this.files = new ModelFiles({ library, sessions: () => this.#models.all });
    this.templates = new Templates({ library, models: this.#models });
    const active = () => this.#models.active;
    this.#idle = new IdleWork(this.#queue, active, () => this.#models.relieve());
  }

  /** Makes a model the active one; those before it stay in memory where they can. When it fails, none is active. */
  async load(input: LoadInput, options: LoadCall): Promise<LoadedModel> {
    const turn = await this.#queue.run(options.signal, async () => {
      const session = await this.#models.activate(input, options);
      return session.description;
    });
    if (turn.started) return turn.result;
    throw options.signal.reason;
  }

  async unload(): Promise<void> {
    await this.#queue.run(new AbortController().signal, () => this.#models.closeAll());
  }

  /** Sends the answer's events; returns after `done`. Throws MODEL_MISSING, CONTEXT_FULL, TEMPLATE_FAILED, ENGINE_FAILED. */
  async generate(input: GenerateInput, { signal, send }: CallOptions<EngineEvent>): Promise<void> {
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
        await this.#close(answer.answered(input));
      });
      if (!turn.started) send(unstartedAnswer(this.#models.active, seed, performance.now() - arrivedAtMs));
    } finally {
      this.#stops.delete(generationId);
      this.#afterTurn(input, answer.done?.report, answer.answered(input));
    }
  }

  /** Sends `done` or `failed` of each side; returns after them. Throws what loading throws. */
  async compare(input: CompareInput, { signal, send }: CallOptions<CompareEvent>): Promise<void> {
    const arrivedAtMs = performance.now();
    const seed = input.sampling.seed ?? randomSeed();
    const [first, ...others] = input.sides.map(({ load }) => load);
    if (first === undefined) return;
    const ids = input.sides.map(({ generationId }) => generationId);
    const stops = ids.map((generationId) => this.#register(generationId));
    const signals = stops.map((stop) => AbortSignal.any([signal, stop.signal]));
    const onProgress = (fraction: number) => {
      send({ type: "loading", fraction });
    };
    this.#idle.stop();
    try {
      await this.#queue.run(signal, async () => {
        await this.#models.withModels([first, ...others], { signal, onProgress }, (sessions) =>
          compareModels(sessions, input, { seed, arrivedAtMs, signals, send }),
        );
      });
    } finally {
      for (const generationId of ids) this.#stops.delete(generationId);
    }
  }

  /** A generation that is over, or never was, is no error: its end and the wish to stop it may cross. */
  stop(generationId: string): void {
    this.#stops.get(generationId)?.abort();
  }

  /** Throws MODEL_MISSING, TEMPLATE_FAILED. */
  async measure({ messages }: IdlePrompt): Promise<PromptSize> {
    await this.#models.active?.model.room.refresh();
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

  /** See the contract. `signal`: as of `prepare`. */
  async refill(prompt: IdlePrompt, onStep: RefillListener, signal: AbortSignal): Promise<IdleOutcome> {
    this.#loadedSession();
    return await this.#idle.refill(prompt, onStep, signal);
  }

  /** See the contract. */
  async switchCost(input: SwitchInput): Promise<EngineSwitchCost> {
    const library = await this.#library.get();
    return await switchCost(input, { library, models: this.#models, store: this.cache.store });
  }

  /** See predictAnswers. */
  async predict(input: PredictInput, call: CallOptions<PredictionEvent>): Promise<void> {
    await predictAnswers(input, { ...call, queue: this.#queue, session: () => this.#models.active });
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
      await this.#models.forget(conversationId);
      this.cache.forget(conversationId);
    });
  }

  /** Stops what runs, hands over what is not stored yet, and frees everything: context, model, then llama.cpp. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#library.close();
    this.#idle[Symbol.dispose]();
    for (const stop of this.#stops.values()) stop.abort();
    await this.#queue.run(new AbortController().signal, async () => {
      await this.#models.closeAll();
      await this.templates[Symbol.asyncDispose]();
      this.cache[Symbol.dispose]();
      await this.#library[Symbol.asyncDispose]();
    });
  }

  /** Before anybody else computes, unless somebody waits. It is only useful: a failure shows when it is missed. */
  async #close(answered: IdlePrompt | null): Promise<void> {
    const { active } = this.#models;
    if (answered === null || active === null || this.#queue.isWanted) return;
    await closeAnswer(active, answered).catch(() => undefined);
  }

  #afterTurn({ kind }: GenerateInput, report: TurnReport | undefined, answered: IdlePrompt | null): void {
    if (report === undefined || kind === "side") return;
    this.cache.count(report.shortfall);
    this.#idle.save();
    if (answered !== null && hasThoughts(answered.messages.at(-1)?.content ?? ""))
      void this.#idle.restate(answered).catch(() => undefined);
  }

  #loadedSession(): ModelSession {
    const { active } = this.#models;
    if (active !== null) return active;
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
}

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
