/** Models on their way. Owns the list main last sent, and which of them arrived while the page was open. */
import type { ArrivedModel, ModelDownload, ModelRequest } from "../../src-main/contract/hub.ts";
import type { Connection } from "./connection.svelte.ts";
import type { Problems } from "./problems.svelte.ts";

export class Downloads {
  #list = $state.raw<readonly ModelDownload[]>([]);
  #arrived = $state.raw<readonly ArrivedModel[]>([]);
  readonly #connection: Connection;
  readonly #problems: Problems;

  constructor(connection: Connection, problems: Problems) {
    this.#connection = connection;
    this.#problems = problems;
    connection.follow<ModelDownload[]>({
      open: (client, signal) => client.models.downloads(undefined, { signal }),
      onEvent: (list) => {
        const gone = this.#list.filter(({ id }) => !list.some((download) => download.id === id));
        this.#list = list;
        for (const { id } of gone) void this.#takeArrived(id);
      },
    });
  }

  get list(): readonly ModelDownload[] {
    return this.#list;
  }

  get arrived(): readonly ArrivedModel[] {
    return this.#arrived;
  }

  byId(id: string): ModelDownload | null {
    return this.#list.find((download) => download.id === id) ?? null;
  }

  ofRepository(repository: string): ModelDownload | null {
    const wanted = repository.toLowerCase();
    return this.#list.find((download) => download.repository.toLowerCase() === wanted) ?? null;
  }

  /** Begins it, or goes on with it. Throws INVALID_INPUT, HUB_FAILED, CONNECTION_LOST. */
  async get(request: ModelRequest): Promise<void> {
    await this.#connection.call((client) => client.models.get(request));
  }

  async pause(downloadId: string): Promise<void> {
    await this.#problems.attempt(this.#connection.call((client) => client.models.pauseDownload({ downloadId })));
  }

  async resume(downloadId: string): Promise<void> {
    await this.#problems.attempt(this.#connection.call((client) => client.models.resumeDownload({ downloadId })));
  }

  async cancel(downloadId: string): Promise<void> {
    await this.#problems.attempt(this.#connection.call((client) => client.models.cancelDownload({ downloadId })));
  }

  dismissArrived(path: string): void {
    this.#arrived = this.#arrived.filter((model) => model.path !== path);
  }

  /** What is gone from the list has arrived, unless somebody cancelled it: main knows. */
  async #takeArrived(downloadId: string): Promise<void> {
    const [asked] = await Promise.allSettled([
      this.#connection.call((client) => client.models.awaitDownload({ downloadId })),
    ]);
    if (asked.status === "rejected") return;
    this.dismissArrived(asked.value.path);
    this.#arrived = [...this.#arrived, asked.value];
  }
}
