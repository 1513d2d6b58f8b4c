/**
 * What is loaded in the engine. It owns the knowledge which file that is, loads another one when it is needed, one load
 * after the other, and tells the status.
 */
import type { CacheOptions } from "../contract/engine-contract.ts";
import { toRepriseError } from "../contract/errors.ts";
import type { ThreadTuning } from "../contract/model.ts";
import type { LoadOptions } from "../contract/model-settings.ts";
import { abortable } from "./abortable.ts";
import { stampFile, stampKey, type FileStamp } from "./file-stamp.ts";
import { crashedWhileLoading, isCrash } from "./load-failure.ts";
import { fileNameOf, type ModelReference } from "./model-locator.ts";
import type { ModelSpeeds } from "./model-speeds.ts";
import type { EngineClient, RunningEngine } from "./ports.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Residents } from "./residents.ts";
import type { StatusService } from "./status-service.ts";

interface Dependencies {
  /** Starts the engine where none runs. */
  readonly running: () => Promise<RunningEngine>;
  readonly status: StatusService;
  readonly speeds: ModelSpeeds;
  readonly residents: Residents;
  readonly quarantine: Quarantine;
  readonly cacheOptions: () => CacheOptions;
  /** The one set for all levels of the model; `null`: the file's own. */
  readonly chatTemplateOf: (modelId: string) => Promise<string | null>;
  readonly onLoaded: (client: EngineClient) => void;
}

/** What is to be loaded, and how. */
export interface WantedModel extends ModelReference {
  readonly options: LoadOptions;
}

/** Of the same file and options; the same for as long as both stay what they are. */
export function wantedKey({ path, options }: WantedModel): string {
  return JSON.stringify([path, options]);
}

interface Load {
  readonly key: string;
  readonly done: Promise<RunningEngine>;
  readonly cancel: AbortController;
  waiters: number;
}

interface LoadedFile {
  readonly key: string;
  readonly modelId: string;
  readonly client: EngineClient;
  readonly chatTemplate: string | null;
  /** Another content under the same path is another model. */
  readonly file: FileStamp;
}

export class ModelLoader {
  readonly #parts: Dependencies;
  #loaded: LoadedFile | null = null;
  #load: Load | null = null;
  #lastLoad: Promise<unknown> = Promise.resolve();

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** `null` also while another one is being loaded. */
  get loadedPath(): string | null {
    return this.#loaded?.file.path ?? null;
  }

  /** With these options. False also while another one is being loaded. */
  isLoaded(model: WantedModel): boolean {
    return this.#loaded?.key === wantedKey(model);
  }

  /** The engine is gone, and what was in it. */
  forget(): void {
    this.#loaded = null;
    this.#parts.residents.forget();
  }

  /**
   * The engine with this model in it. A load that nobody waits for any more goes on, since the next message will want
   * it, until another model is wanted.
   */
  async engineWith(model: WantedModel, signal: AbortSignal): Promise<RunningEngine> {
    const key = wantedKey(model);
    if (this.#load?.key !== key && this.#load?.waiters === 0) this.#load.cancel.abort();
    const load = this.#load?.key === key ? this.#load : this.#begin(model, key);
    load.waiters += 1;
    try {
      return await abortable(load.done, signal);
    } finally {
      load.waiters -= 1;
    }
  }

  /** What is loaded goes by its family's template as it is now. Nothing is loaded for it. */
  async refreshTemplate(): Promise<void> {
    const before = this.#loaded;
    if (before === null) return;
    const chatTemplate = await this.#parts.chatTemplateOf(before.modelId);
    // It is not for a model that was loaded meanwhile.
    if (this.#loaded?.modelId === before.modelId) await this.#useTemplate(this.#loaded, chatTemplate);
  }

  /** Nobody is going to use what is being loaded. */
  close(): void {
    this.#load?.cancel.abort();
  }

  /** Uses what is loaded, and remembers where that brought the engine down. */
  async tried<T>({ client, processId }: RunningEngine, use: (client: EngineClient) => Promise<T>): Promise<T> {
    const { quarantine } = this.#parts;
    const file = this.#loaded?.file;
    try {
      const result = await use(client);
      if (file !== undefined) quarantine.worked(file);
      return result;
    } catch (caught) {
      const error = toRepriseError(caught);
      if (file !== undefined && isCrash(error)) quarantine.crashedInUse(file, error.data.cause, processId);
      throw caught;
    }
  }

  #begin(model: WantedModel, key: string): Load {
    const cancel = new AbortController();
    const done = this.#lastLoad.then(() => this.#loadWhereNeeded(model, cancel.signal));
    const load: Load = { key, done, cancel, waiters: 0 };
    const forget = () => {
      if (this.#load === load) this.#load = null;
    };
    this.#lastLoad = done.then(forget, forget);
    this.#load = load;
    return load;
  }

  async #loadWhereNeeded(model: WantedModel, signal: AbortSignal): Promise<RunningEngine> {
    const { running, status, quarantine, chatTemplateOf } = this.#parts;
    const file = await stampFile(model.path);
    const chatTemplate = await chatTemplateOf(model.id);
    const engine = await running();
    const isSameFile = this.#loaded !== null && stampKey(this.#loaded.file) === stampKey(file);
    if (this.#loaded !== null && isSameFile && this.isLoaded(model)) {
      await this.#useTemplate(this.#loaded, chatTemplate);
      return engine;
    }
    const problem = quarantine.problemOf(file);
    if (problem !== null) throw problem;
    this.#loaded = null;
    try {
      await this.#loadInto(engine.client, { ...model, file, chatTemplate }, signal);
    } catch (caught) {
      const error = toRepriseError(caught);
      // After a crash the status already says more.
      if (isCrash(error)) {
        quarantine.crashedWhileLoading(file, error.data.cause);
        throw crashedWhileLoading(model.path, error);
      }
      status.setEngine({ state: "idle" });
      throw error;
    }
    // It may have been changed while the model was being loaded.
    await this.refreshTemplate();
    return engine;
  }

  async #loadInto(
    client: EngineClient,
    model: WantedModel & Pick<LoadedFile, "file" | "chatTemplate">,
    signal: AbortSignal,
  ): Promise<void> {
    const { id: modelId, path, options, file, chatTemplate } = model;
    const { status, speeds, residents, cacheOptions, onLoaded } = this.#parts;
    const tuning = speeds.tuning(file);
    const showProgress = (fraction: number) => {
      status.setEngine({ state: "loading", modelId, modelName: fileNameOf(path), fraction });
    };
    // One that is in memory is there before anybody could read that it is being loaded.
    if (!residents.has(path)) showProgress(0);
    residents.loading(model);
    const input = { path, options, tuning, chatTemplate, ...cacheOptions() };
    for await (const event of await client.load(input, { signal })) {
      if (event.type === "progress") {
        showProgress(event.fraction);
      } else {
        this.#loaded = { key: wantedKey(model), modelId, client, chatTemplate, file };
        residents.loaded(event);
        status.setEngine({ state: "ready", modelId, model: event.model, residents: residents.shown });
        if (tuning === null) this.#keepTuning(file, event.model.tuning);
        onLoaded(client);
      }
    }
  }

  async #useTemplate(loaded: LoadedFile, chatTemplate: string | null): Promise<void> {
    if (loaded.chatTemplate === chatTemplate) return;
    const inUse = await loaded.client.templates.use({ chatTemplate });
    // Another model may have been loaded meanwhile, or the engine lost.
    if (this.#loaded?.key !== loaded.key || this.#loaded.client !== loaded.client) return;
    this.#loaded = { ...this.#loaded, chatTemplate };
    this.#parts.status.setTemplate(inUse);
  }

  /** Where it cannot be stored it is measured again the next time; the model is loaded all the same. */
  #keepTuning(file: FileStamp, tuning: ThreadTuning): void {
    try {
      this.#parts.speeds.keep(file, tuning);
    } catch (caught) {
      this.#parts.status.addNotice(toRepriseError(caught));
    }
  }
}
