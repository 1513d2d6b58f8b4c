/**
 * The models a person can choose from: the files of the models folder and those added where they lie. It owns the list;
 * looking into the files happens in the background, and the list grows in detail as results come.
 */
import { errorView, RepriseError, toRepriseError } from "../contract/errors.ts";
import type { ModelFile } from "../contract/model.ts";
import { EventHub } from "./event-hub.ts";
import { stampFile, type FileStamp } from "./file-stamp.ts";
import type { ModelLocator, ModelReference } from "./model-locator.ts";
import type { Inspection, ModelInspections } from "./model-inspections.ts";
import type { ModelFileStore } from "./ports.ts";
import type { Quarantine } from "./quarantine.ts";

interface Dependencies {
  readonly store: ModelFileStore;
  readonly locator: ModelLocator;
  readonly inspections: ModelInspections;
  readonly quarantine: Quarantine;
}

export class ModelLibrary {
  readonly #store: ModelFileStore;
  readonly #locator: ModelLocator;
  readonly #inspections: ModelInspections;
  readonly #quarantine: Quarantine;
  #files: ModelFile[] = [];
  readonly #hub = new EventHub<ModelFile[]>({ snapshot: () => this.#files, backlogLimit: 0, snapshotGapMs: 50 });

  constructor({ store, locator, inspections, quarantine }: Dependencies) {
    this.#store = store;
    this.#locator = locator;
    this.#inspections = inspections;
    this.#quarantine = quarantine;
  }

  /** The files as they are now; `summary` is null where the engine has not looked into a file yet. */
  async list(): Promise<ModelFile[]> {
    await this.refresh();
    return this.#files;
  }

  async watch(signal?: AbortSignal): Promise<AsyncIteratorObject<ModelFile[], undefined>> {
    await this.refresh();
    return this.#hub.watch(signal);
  }

  /** Adds a file where it lies. Throws MODEL_MISSING, MODEL_INVALID or what else keeps it from being used. */
  async add(path: string): Promise<ModelFile> {
    const file = await stampFile(path);
    const inspection = await this.#inspections.of(file);
    if (inspection.problem !== null) throw inspection.problem;
    const reference = this.#locator.atPath(path) ?? this.#store.add(path);
    await this.refresh();
    return this.#entry(reference, file, inspection);
  }

  async remove(modelId: string): Promise<void> {
    const { path } = this.#locator.byId(modelId);
    if (this.#store.list().every(({ id }) => id !== modelId)) {
      const reason = `${path} lies in the models folder, so it stays on the list. Delete or move the file to take it off.`;
      throw new RepriseError("INVALID_INPUT", reason, { reason });
    }
    this.#store.remove(modelId);
    await this.refresh();
  }

  /** Reads the folder again. */
  async refresh(): Promise<void> {
    const references = await this.#locator.scan();
    const entries = await Promise.all(references.map((reference) => this.#listed(reference)));
    this.#files = entries.sort(
      (one, other) => Number(other.isDefault) - Number(one.isDefault) || one.name.localeCompare(other.name),
    );
    this.#hub.refresh();
  }

  end(): void {
    this.#hub.end();
  }

  async #listed(reference: ModelReference): Promise<ModelFile> {
    try {
      const file = await stampFile(reference.path);
      const known = this.#inspections.known(file);
      if (known === null) this.#inspectLater(reference, file);
      return this.#entry(reference, file, known ?? { summary: null, problem: null });
    } catch (caught) {
      const missing = { path: reference.path, sizeBytes: 0, modifiedMs: 0 };
      return this.#entry(reference, missing, { summary: null, problem: toRepriseError(caught) });
    }
  }

  #inspectLater(reference: ModelReference, file: FileStamp): void {
    void this.#inspections.of(file).then((inspection) => {
      const entry = this.#entry(reference, file, inspection);
      this.#files = this.#files.map((other) => (other.id === entry.id ? entry : other));
      this.#hub.refresh();
    });
  }

  #entry({ id, path }: ModelReference, file: FileStamp, { summary, problem: found }: Inspection): ModelFile {
    const problem = found ?? this.#quarantine.problemOf(file);
    return {
      id,
      path,
      name: this.#locator.nameOf(path, summary?.name),
      sizeBytes: file.sizeBytes,
      isDefault: this.#locator.isDefault(path),
      summary,
      problem: problem === null ? null : errorView(problem),
    };
  }
}
