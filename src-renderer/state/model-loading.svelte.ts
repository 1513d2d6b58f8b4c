/** Loading a model because a person asked for it, which they may take back. Owns the call that runs. */
import type { Connection } from "./connection.svelte.ts";
import type { Problems } from "./problems.svelte.ts";

export class ModelLoading {
  #modelId = $state<string | null>(null);
  #stop = new AbortController();
  readonly #connection: Connection;
  readonly #problems: Problems;

  constructor(connection: Connection, problems: Problems) {
    this.#connection = connection;
    this.#problems = problems;
  }

  /** Asked for from here, and not there yet. */
  get modelId(): string | null {
    return this.#modelId;
  }

  /** The newest takes the place of one that is not there yet. `retry`: also one that brought the engine down before. */
  async load(modelId: string, retry = false): Promise<void> {
    this.cancel();
    const stop = new AbortController();
    this.#stop = stop;
    this.#modelId = modelId;
    const { signal } = stop;
    try {
      await this.#connection.call((client) => client.models.load({ modelId, retry }, { signal }));
    } catch (caught) {
      if (!signal.aborted) this.#problems.report(caught);
    }
    if (this.#stop === stop) this.#modelId = null;
  }

  cancel(): void {
    this.#stop.abort();
    this.#modelId = null;
  }
}
