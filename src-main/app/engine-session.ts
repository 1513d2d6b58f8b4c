/**
 * The engine with what is loaded in it. It owns the knowledge which model the running process holds, loads another one
 * when it is needed, and tells the status; the process itself is the supervisor's.
 */
import { cpus } from "node:os";
import { errorView, RepriseError, toRepriseError } from "../contract/errors.ts";
import type { GgufSummary, ThreadTuning } from "../contract/model.ts";
import { abortable } from "./abortable.ts";
import { stampFile, stampKey } from "./file-stamp.ts";
import { ModelGate } from "./model-gate.ts";
import { fileNameOf, type ModelReference } from "./model-locator.ts";
import type { EngineClient, EngineSupervisor, ModelFileStore, RunningEngine } from "./ports.ts";
import type { StatusService } from "./status-service.ts";

interface Dependencies {
  readonly supervisor: EngineSupervisor;
  readonly status: StatusService;
  readonly modelFiles: ModelFileStore;
}

interface Load {
  readonly path: string;
  readonly done: Promise<RunningEngine>;
  readonly cancel: AbortController;
  waiters: number;
}

export class EngineSession {
  readonly #supervisor: EngineSupervisor;
  readonly #status: StatusService;
  readonly #modelFiles: ModelFileStore;
  readonly #gate = new ModelGate();
  // Compared as the supervisor gave it: a client that passes through a promise by itself comes out as another object.
  #engine: RunningEngine | null = null;
  #loadedKey: string | null = null;
  #load: Load | null = null;
  #lastLoad: Promise<unknown> = Promise.resolve();

  constructor({ supervisor, status, modelFiles }: Dependencies) {
    this.#supervisor = supervisor;
    this.#status = status;
    this.#modelFiles = modelFiles;
    supervisor.onCrash((cause) => {
      this.#forget();
      const sentence = `The engine stopped unexpectedly: ${cause}. It starts again when it is next needed.`;
      const error = new RepriseError("ENGINE_CRASHED", sentence, { cause });
      status.setEngine({ state: "failed", error: errorView(error) });
      status.addNotice(error);
    });
  }

  async inspect(path: string): Promise<GgufSummary> {
    const { client } = await this.#running();
    return client.inspect({ path });
  }

  /**
   * Runs `use` while the model is loaded and stays so; waits for the answers of another model to end. Rejects with the
   * signal's reason when it aborts before `use` begins.
   */
  async withModel<T>(
    model: ModelReference,
    signal: AbortSignal,
    use: (client: EngineClient) => Promise<T>,
  ): Promise<T> {
    const leave = await this.#gate.enter(model.path, signal);
    try {
      const { client } = await this.#loaded(model, signal);
      return await use(client);
    } finally {
      leave();
    }
  }

  /** Ends the engine for good. */
  async stop(): Promise<void> {
    await this.#supervisor.stop();
    this.#forget();
    this.#status.setEngine({ state: "stopped" });
  }

  /** A load that nobody waits for any more goes on, since the next message will want it, until another model is wanted. */
  async #loaded(model: ModelReference, signal: AbortSignal): Promise<RunningEngine> {
    if (this.#load?.path !== model.path && this.#load?.waiters === 0) this.#load.cancel.abort();
    const load = this.#load?.path === model.path ? this.#load : this.#begin(model);
    load.waiters += 1;
    try {
      return await abortable(load.done, signal);
    } finally {
      load.waiters -= 1;
    }
  }

  /** One load after the other. */
  #begin(model: ModelReference): Load {
    const cancel = new AbortController();
    const done = this.#lastLoad.then(() => this.#loadWhereNeeded(model, cancel.signal));
    const load: Load = { path: model.path, done, cancel, waiters: 0 };
    const forget = () => {
      if (this.#load === load) this.#load = null;
    };
    this.#lastLoad = done.then(forget, forget);
    this.#load = load;
    return load;
  }

  async #loadWhereNeeded(model: ModelReference, signal: AbortSignal): Promise<RunningEngine> {
    const fileKey = stampKey(await stampFile(model.path));
    const engine = await this.#running();
    if (this.#loadedKey === fileKey) return engine;
    this.#loadedKey = null;
    try {
      await this.#loadInto(engine.client, { ...model, fileKey }, signal);
    } catch (caught) {
      const error = toRepriseError(caught);
      // After a crash the status already says more.
      if (isCrash(error)) throw crashedWhileLoading(model.path, error);
      this.#status.setEngine({ state: "idle" });
      throw error;
    }
    return engine;
  }

  async #loadInto(
    client: EngineClient,
    { id: modelId, path, fileKey }: ModelReference & { readonly fileKey: string },
    signal: AbortSignal,
  ): Promise<void> {
    const tuningKey = `${fileKey}|${processorKey()}`;
    const known = this.#modelFiles.tuning(tuningKey);
    const tuning = known?.underLoad === true ? null : known;
    const showProgress = (fraction: number) => {
      this.#status.setEngine({ state: "loading", modelId, modelName: fileNameOf(path), fraction });
    };
    showProgress(0);
    for await (const event of await client.load({ path, contextTokens: null, tuning }, { signal })) {
      if (event.type === "progress") {
        showProgress(event.fraction);
      } else {
        this.#loadedKey = fileKey;
        this.#status.setEngine({ state: "ready", modelId, model: event.model });
        if (tuning === null) this.#keepTuning(tuningKey, event.model.tuning);
      }
    }
  }

  /** Where it cannot be stored it is measured again the next time; the model is loaded all the same. */
  #keepTuning(key: string, tuning: ThreadTuning): void {
    try {
      this.#modelFiles.setTuning(key, tuning);
    } catch (caught) {
      this.#status.addNotice(toRepriseError(caught));
    }
  }

  async #running(): Promise<RunningEngine> {
    if (this.#engine === null) this.#status.setEngine({ state: "starting" });
    try {
      const engine = await this.#supervisor.engine();
      if (this.#engine !== engine) {
        this.#engine = engine;
        this.#status.setEngine({ state: "idle" });
      }
      return engine;
    } catch (caught) {
      const error = toRepriseError(caught);
      const isStopped = error.code === "ENGINE_STOPPED";
      this.#status.setEngine(isStopped ? { state: "stopped" } : { state: "failed", error: errorView(error) });
      throw error;
    }
  }

  #forget(): void {
    this.#engine = null;
    this.#loadedKey = null;
  }
}

function isCrash(error: RepriseError): error is RepriseError<"ENGINE_CRASHED"> {
  return error.code === "ENGINE_CRASHED";
}

function crashedWhileLoading(path: string, { data, cause }: RepriseError<"ENGINE_CRASHED">): RepriseError {
  const sentence = `The engine stopped while it was loading ${fileNameOf(path)}: ${data.cause}. Nothing was lost. Try again, or choose another model.`;
  return new RepriseError("ENGINE_CRASHED", sentence, data, { cause });
}

/** Threads that were best on one processor say nothing about another. */
function processorKey(): string {
  const processors = cpus();
  return `${processors[0]?.model ?? "unknown"}|${processors.length}`;
}
