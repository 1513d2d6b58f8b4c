/**
 * The engine and who uses it when: answers share its model or wait for each other, what is only useful gives way to
 * them. The process itself is the supervisor's, what is loaded in it the loader's.
 */
import type { CacheOptions } from "../contract/engine-contract.ts";
import { errorView, RepriseError, toRepriseError } from "../contract/errors.ts";
import type { LoadOptions } from "../contract/model-settings.ts";
import type { EngineObserver } from "./engine-observer.ts";
import { ModelGate } from "./model-gate.ts";
import { ModelLoader, wantedKey, type WantedModel } from "./model-loader.ts";
import type { ModelReference } from "./model-locator.ts";
import type { ModelSpeeds } from "./model-speeds.ts";
import type { EngineClient, EngineSupervisor, RunningEngine } from "./ports.ts";
import type { Quarantine } from "./quarantine.ts";
import { Residents } from "./residents.ts";
import type { StatusService } from "./status-service.ts";

interface Dependencies {
  readonly supervisor: EngineSupervisor;
  readonly status: StatusService;
  readonly speeds: ModelSpeeds;
  readonly quarantine: Quarantine;
  /** As they are when the engine is told. */
  readonly cacheOptions: () => CacheOptions;
  /** As they are stored for the file; changed ones are loaded with at the next answer. */
  readonly loadOptionsOf: (modelId: string) => LoadOptions;
  /** As it is stored for the file's family; a changed one is used at the next answer, without loading anything. */
  readonly chatTemplateOf: (modelId: string) => Promise<string | null>;
}

export class EngineSession {
  readonly #supervisor: EngineSupervisor;
  readonly #status: StatusService;
  readonly #cacheOptions: () => CacheOptions;
  readonly #loadOptionsOf: (modelId: string) => LoadOptions;
  readonly #gate = new ModelGate();
  readonly #loader: ModelLoader;
  readonly residents: Residents;
  readonly #observers: EngineObserver[] = [];
  // Compared as the supervisor gave it: a client that passes through a promise by itself comes out as another object.
  #engine: RunningEngine | null = null;
  #isCacheOpen = false;

  constructor({ supervisor, status, speeds, quarantine, cacheOptions, loadOptionsOf, chatTemplateOf }: Dependencies) {
    this.#supervisor = supervisor;
    this.#status = status;
    this.#cacheOptions = cacheOptions;
    this.#loadOptionsOf = loadOptionsOf;
    this.residents = new Residents(status);
    this.#loader = new ModelLoader({
      running: () => this.#running(),
      status,
      speeds,
      residents: this.residents,
      quarantine,
      cacheOptions,
      chatTemplateOf,
      onLoaded: (client) => {
        this.#cacheOpened(client);
        for (const { loaded } of this.#observers) loaded?.();
      },
    });
    supervisor.onCrash((cause) => {
      this.#forget();
      const sentence = `The engine stopped unexpectedly: ${cause}. It starts again when it is next needed.`;
      const error = new RepriseError("ENGINE_CRASHED", sentence, { cause });
      status.setEngine({ state: "failed", error: errorView(error) });
      status.addNotice(error);
    });
  }

  get isRunning(): boolean {
    return this.#engine !== null;
  }

  /** Of the model that is loaded; `null` where none is. */
  get loadedPath(): string | null {
    return this.#loader.loadedPath;
  }

  observe(observer: EngineObserver): void {
    this.#observers.push(observer);
  }

  /** The engine, whatever is loaded in it. Starts it where none runs. */
  async withEngine<T>(use: (client: EngineClient) => Promise<T>): Promise<T> {
    const { client } = await this.#running();
    return use(client);
  }

  /**
   * Runs `use` while the model is loaded and stays so; waits for the answers of another model, or of the same one under
   * other options, to end. Rejects with the signal's reason when it aborts before `use` begins. `untried`: how that ends
   * says nothing of the model: it is only loaded, or another one computes too.
   */
  async withModel<T>(
    model: ModelReference,
    signal: AbortSignal,
    use: (client: EngineClient) => Promise<T>,
    trial: "tried" | "untried" = "tried",
  ): Promise<T> {
    const wanted = this.#wanted(model);
    const leave = await this.#gate.enter(wantedKey(wanted), signal);
    try {
      const engine = await this.#loader.engineWith(wanted, signal);
      return await (trial === "tried" ? this.#loader.tried(engine, use) : use(engine.client));
    } finally {
      leave();
    }
  }

  /**
   * Runs `use` beside the answers, loading the model where it is not loaded. `null` where answers of another model are
   * in the way, or came between: the signal `use` gets aborts, too, when another model is wanted.
   */
  async besideAnswers<T>(
    model: ModelReference,
    signal: AbortSignal,
    use: (client: EngineClient, signal: AbortSignal) => Promise<T>,
  ): Promise<T | null> {
    const wanted = this.#wanted(model);
    const guest = await this.#gate.enterAsGuest(wantedKey(wanted), signal);
    if (guest === null) return null;
    const ending = AbortSignal.any([signal, guest.wanted]);
    try {
      const { client } = await this.#loader.engineWith(wanted, ending);
      return await use(client, ending);
    } catch (caught) {
      if (guest.wanted.aborted && !signal.aborted) return null;
      throw caught;
    } finally {
      guest.leave();
    }
  }

  /** See ModelGate. */
  whenOpenFor(model: ModelReference, signal: AbortSignal): Promise<void> {
    return this.#gate.whenOpenFor(wantedKey(this.#wanted(model)), signal);
  }

  /** As `besideAnswers`, where the model is loaded; else `null`. */
  async whereLoaded<T>(
    model: ModelReference,
    signal: AbortSignal,
    use: (client: EngineClient, signal: AbortSignal) => Promise<T>,
  ): Promise<T | null> {
    return this.#loader.isLoaded(this.#wanted(model)) ? this.besideAnswers(model, signal, use) : null;
  }

  /** The engine with kv.db open, whether or not a model is loaded. Starts it where none runs. */
  async withCache<T>(use: (client: EngineClient) => Promise<T>): Promise<T> {
    const { client } = await this.#running();
    await client.cache.open(this.#cacheOptions());
    this.#cacheOpened(client);
    return use(client);
  }

  /** As `withCache`, where an engine runs; else `null`. */
  async whereRunning<T>(use: (client: EngineClient) => Promise<T>): Promise<T | null> {
    return this.#engine === null ? null : this.withCache(use);
  }

  /** The loaded model goes by its family's template as it is stored now. */
  async refreshTemplate(): Promise<void> {
    await this.#loader.refreshTemplate();
  }

  /** Ends the engine for good. */
  async stop(): Promise<void> {
    // It would be waited for.
    this.#loader.close();
    await this.#supervisor.stop();
    this.#forget();
    this.#status.setEngine({ state: "stopped" });
  }

  async #running(): Promise<RunningEngine> {
    if (this.#engine === null) this.#status.setEngine({ state: "starting" });
    try {
      const engine = await this.#supervisor.engine();
      if (this.#engine !== engine) {
        this.#engine = engine;
        this.#status.setEngine({ state: "idle" });
        void this.residents.follow(engine.client);
        for (const { started } of this.#observers) started?.();
      }
      return engine;
    } catch (caught) {
      const error = toRepriseError(caught);
      const isStopped = error.code === "ENGINE_STOPPED";
      this.#status.setEngine(isStopped ? { state: "stopped" } : { state: "failed", error: errorView(error) });
      throw error;
    }
  }

  #cacheOpened(client: EngineClient): void {
    if (this.#isCacheOpen || this.#engine?.client !== client) return;
    this.#isCacheOpen = true;
    for (const { cacheOpened } of this.#observers) cacheOpened?.(client);
  }

  #wanted(model: ModelReference): WantedModel {
    return { ...model, options: this.#loadOptionsOf(model.id) };
  }

  #forget(): void {
    this.#engine = null;
    this.#isCacheOpen = false;
    this.#loader.forget();
    for (const { lost } of this.#observers) lost?.();
  }
}
