/** Measuring how fast a model computes here. Owns which one is measured, one at a time, and what went wrong with others. */
import type { ErrorView } from "../../src-main/contract/errors.ts";
import type { Connection } from "./connection.svelte.ts";
import { toErrorView } from "./problems.svelte.ts";

export class SpeedMeasurement {
  #modelId = $state.raw<string | null>(null);
  #failure = $state.raw<{ readonly modelId: string; readonly error: ErrorView } | null>(null);
  #end = new AbortController();
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The model that is being measured. */
  get modelId(): string | null {
    return this.#modelId;
  }

  /** Why this one could not be measured, where it was the last. */
  failureOf(modelId: string): ErrorView | null {
    return this.#failure?.modelId === modelId ? this.#failure.error : null;
  }

  /** What comes of it is in the list of families. */
  async measure(modelId: string): Promise<void> {
    if (this.#modelId !== null) return;
    this.#modelId = modelId;
    this.#failure = null;
    this.#end = new AbortController();
    const { signal } = this.#end;
    try {
      await this.#connection.call((client) => client.models.measure({ modelId }, { signal }));
    } catch (caught) {
      if (!signal.aborted) this.#failure = { modelId, error: toErrorView(caught) };
    }
    this.#modelId = null;
  }

  cancel(): void {
    this.#end.abort();
  }
}
