/**
 * The echo engine's models in memory: of each one byte for every byte of its file and every token of its context. They
 * stay beside each other, but one with `large` in its name has it all for itself.
 */
import { EventEmitter, once } from "node:events";
import { statSync } from "node:fs";
import { basename } from "node:path";
import type { LoadInput } from "../../src-main/contract/engine-contract.ts";
import type { LoadedModel, TemplateInUse } from "../../src-main/contract/model.ts";
import type { ResidentModel } from "../../src-main/contract/model-switch.ts";

type Wanted = Pick<LoadInput, "path" | "options">;

export class EchoResidents {
  readonly #changes = new EventEmitter();
  readonly #models = new Map<string, LoadedModel>();
  #active: LoadedModel | null = null;

  get active(): LoadedModel | null {
    return this.#active;
  }

  /** Makes it active where it is in memory. */
  activate(wanted: Wanted): LoadedModel | null {
    this.#active = this.find(wanted);
    this.#changed();
    return this.#active;
  }

  find(wanted: Wanted): LoadedModel | null {
    return this.#models.get(keyOf(wanted)) ?? null;
  }

  /** Those that make way for it. */
  closedFor({ path }: Pick<Wanted, "path">): string[] {
    const isLarge = [path, ...this.#paths].some((each) => basename(each).includes("large"));
    return isLarge ? this.#paths : [];
  }

  add(wanted: Wanted, model: LoadedModel): void {
    if (this.closedFor(wanted).length > 0) this.#models.clear();
    this.#models.set(keyOf(wanted), model);
    this.#active = model;
    this.#changed();
  }

  /** Of the active one. */
  use(template: TemplateInUse): void {
    if (this.#active === null) return;
    const [key] = [...this.#models].find(([, model]) => model === this.#active) ?? [];
    this.#active = { ...this.#active, ...template };
    if (key !== undefined) this.#models.set(key, this.#active);
  }

  clear(): void {
    this.#models.clear();
    this.#active = null;
    this.#changed();
  }

  /** The active one first. */
  get described(): ResidentModel[] {
    const models = [...this.#models.values()];
    return models
      .toSorted((one, other) => Number(other === this.#active) - Number(one === this.#active))
      .map((model) => ({
        path: model.path,
        isActive: model === this.#active,
        weightsBytes: model.summary.sizeBytes,
        cacheBytes: model.contextTokens,
        computeBytes: 0,
        contextTokens: model.contextTokens,
        usedCells: 0,
        inPlace: [],
      }));
  }

  async *watch(signal: AbortSignal): AsyncGenerator<ResidentModel[]> {
    while (!signal.aborted) {
      const changed = once(this.#changes, "change", { signal });
      yield this.described;
      await changed.catch(() => undefined);
    }
  }

  get #paths(): string[] {
    return [...this.#models.values()].map(({ path }) => path);
  }

  #changed(): void {
    this.#changes.emit("change");
  }
}

function keyOf({ path, options }: Wanted): string {
  const file = statSync(path, { throwIfNoEntry: false });
  return JSON.stringify([path, options, file?.size, file?.mtimeMs]);
}
