/**
 * Which models are in memory, by their ids on the list. It owns which id was loaded from which path, and passes on what
 * the engine says of them while it runs.
 */
import type { LoadEvent } from "../contract/engine-contract.ts";
import { toRepriseError } from "../contract/errors.ts";
import type { ResidentModel } from "../contract/model-switch.ts";
import { isEngineGone } from "./engine-gone.ts";
import type { ModelReference } from "./model-locator.ts";
import type { EngineClient } from "./ports.ts";
import type { StatusService } from "./status-service.ts";

type Loaded = Extract<LoadEvent, { type: "loaded" }>;

export class Residents {
  readonly #status: StatusService;
  readonly #ids = new Map<string, string>();
  readonly #loadMs = new Map<string, number>();
  #models: readonly ResidentModel[] = [];

  constructor(status: StatusService) {
    this.#status = status;
  }

  /** As the status shows them. */
  get shown(): { modelId: string; bytes: number }[] {
    return this.#models.map(({ path, weightsBytes, cacheBytes, computeBytes }) => {
      return { modelId: this.idOf(path), bytes: weightsBytes + cacheBytes + computeBytes };
    });
  }

  has(path: string): boolean {
    return this.#models.some((model) => model.path === path);
  }

  /** Of a model that was loaded; the path itself for any other. */
  idOf(path: string): string {
    return this.#ids.get(path) ?? path;
  }

  loading({ id, path }: ModelReference): void {
    this.#ids.set(path, id);
  }

  loaded({ model, residents }: Loaded): void {
    this.#loadMs.set(model.path, model.loadMs);
    this.#models = residents;
  }

  /** How long loading this file took the last time; `null` where it was not loaded yet. */
  loadMsOf(path: string): number | null {
    return this.#loadMs.get(path) ?? null;
  }

  /** The engine is gone, and what was in it. */
  forget(): void {
    this.#models = [];
  }

  /** Until the engine ends. */
  async follow(client: EngineClient): Promise<void> {
    try {
      for await (const models of await client.residents()) {
        this.#models = models;
        this.#status.setResidents(this.shown);
      }
    } catch (caught) {
      if (!isEngineGone(caught)) this.#status.addNotice(toRepriseError(caught));
    }
  }
}
