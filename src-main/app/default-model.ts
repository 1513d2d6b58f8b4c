/**
 * The default model: fetched in the background where it is missing, at most one fetch at a time. It owns the fetch;
 * where the bytes come from and whether they are right is the source's business.
 */
import { errorView, RepriseError, toRepriseError } from "../contract/errors.ts";
import { abortable } from "./abortable.ts";
import type { DefaultModelSource } from "./ports.ts";
import type { StatusService } from "./status-service.ts";

interface Fetch {
  readonly done: Promise<void>;
  readonly cancel: AbortController;
}

export class DefaultModel {
  readonly #source: DefaultModelSource;
  readonly #status: StatusService;
  readonly #onFetched: () => void;
  #running: Fetch | null = null;
  #failure: RepriseError | null = null;

  constructor(source: DefaultModelSource, status: StatusService, onFetched: () => void) {
    this.#source = source;
    this.#status = status;
    this.#onFetched = onFetched;
  }

  /** Returns when the model is there. Throws MODEL_FETCH_FAILED, or MODEL_MISSING when the fetch was cancelled. */
  fetch(): Promise<void> {
    if (this.#running !== null) return this.#running.done;
    const cancel = new AbortController();
    const done = this.#fetch(cancel.signal).finally(() => {
      this.#running = null;
    });
    this.#running = { done, cancel };
    // Whoever does not wait reads the failure in the status.
    done.catch(() => undefined);
    return done;
  }

  /** Resolves when the fetch has ended. */
  async cancel(): Promise<void> {
    const running = this.#running;
    if (running === null) return;
    running.cancel.abort();
    await running.done.catch(() => undefined);
  }

  /** Waits for a fetch that is running. Throws why the model is not there. */
  async available(signal: AbortSignal): Promise<void> {
    if (this.#running !== null) await abortable(this.#running.done, signal);
    else if (!(await this.#source.isPresent())) throw this.#failure ?? defaultModelMissing(this.#source.path);
  }

  async #fetch(signal: AbortSignal): Promise<void> {
    this.#failure = null;
    try {
      if (await this.#source.isPresent()) return;
      await this.#source.fetch((status) => {
        if (!signal.aborted) this.#status.setFetch(status);
      }, signal);
      this.#status.setFetch({ state: "none" });
      this.#onFetched();
    } catch (caught) {
      this.#failure = signal.aborted ? defaultModelMissing(this.#source.path) : toRepriseError(caught);
      this.#status.setFetch(signal.aborted ? { state: "none" } : { state: "failed", error: errorView(this.#failure) });
      throw this.#failure;
    }
  }
}

function defaultModelMissing(path: string): RepriseError<"MODEL_MISSING"> {
  const sentence =
    "There is no model yet. Fetch the default model, or choose a GGUF file of your own, then send again.";
  return new RepriseError("MODEL_MISSING", sentence, { path });
}
