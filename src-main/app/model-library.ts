/**
 * The models a person can choose from: the files of the models folder, those added where they lie, and those of other
 * programs. It owns the list; looking into the files happens in the background, and the list grows in detail as results
 * come.
 */
import { realpath } from "node:fs/promises";
import { RepriseError, toRepriseError } from "../contract/errors.ts";
import type { FamilyCard } from "../contract/model-library.ts";
import type { FamilySettings, FamilySettingsPatch, LoadOptions, LoadOptionsPatch } from "../contract/model-settings.ts";
import type { ModelFile } from "../contract/model.ts";
import { EventHub } from "./event-hub.ts";
import type { FileHashes } from "./file-hashes.ts";
import { stampFile, type FileStamp } from "./file-stamp.ts";
import { familyCards, familyIds, fileWithId, modelFiles, type LibraryEntry } from "./library-view.ts";
import type { ListedModel, ModelLocator } from "./model-locator.ts";
import { nothingRead, type ModelReadings, type Reading } from "./model-readings.ts";
import type { ModelSpeeds } from "./model-speeds.ts";
import type { ModelFileStore, ModelSettingStore } from "./ports.ts";
import type { Quarantine } from "./quarantine.ts";
import { removeModel } from "./remove-model.ts";

interface Dependencies {
  readonly store: ModelFileStore;
  readonly settings: ModelSettingStore;
  readonly speeds: ModelSpeeds;
  readonly locator: ModelLocator;
  readonly readings: ModelReadings;
  readonly hashes: FileHashes;
  readonly quarantine: Quarantine;
  readonly deleteModel: (path: string) => Promise<void>;
  /** Tells of changes once it has begun; updated, it looks which folders there are to watch. */
  readonly folderWatch: { begin(): void; update(): void };
}

interface Shown {
  readonly files: ModelFile[];
  readonly cards: FamilyCard[];
}

/** A file on its way into the list. */
interface Looked {
  readonly model: ListedModel;
  readonly entry: LibraryEntry;
  /** `null` where it is not there. */
  readonly file: FileStamp | null;
  readonly isRead: boolean;
}

export class ModelLibrary {
  readonly #parts: Dependencies;
  #entries: readonly LibraryEntry[] = [];
  /** Made anew when somebody looks. */
  #shown: Shown | null = null;
  readonly #files = new EventHub<ModelFile[]>({
    snapshot: () => this.#show().files,
    backlogLimit: 0,
    snapshotGapMs: 50,
  });
  readonly #cards = new EventHub<FamilyCard[]>({
    snapshot: () => this.#show().cards,
    backlogLimit: 0,
    snapshotGapMs: 50,
  });

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** The files as they are now; `summary` is null where a file has not been looked into yet. */
  async list(): Promise<ModelFile[]> {
    await this.refresh();
    return this.#show().files;
  }

  async watch(signal?: AbortSignal): Promise<AsyncIteratorObject<ModelFile[], undefined>> {
    this.#parts.folderWatch.begin();
    await this.refresh();
    return this.#files.watch(signal);
  }

  async watchFamilies(signal?: AbortSignal): Promise<AsyncIteratorObject<FamilyCard[], undefined>> {
    this.#parts.folderWatch.begin();
    await this.refresh();
    return this.#cards.watch(signal);
  }

  /** Adds a file where it lies. Throws MODEL_MISSING, MODEL_INVALID or what else keeps it from being used. */
  async add(path: string): Promise<ModelFile> {
    const { locator, readings, store } = this.#parts;
    const { problem } = await readings.of(await stampFile(path));
    if (problem !== null) throw problem;
    const { id } = locator.atPath(path) ?? store.add(path);
    await this.refresh();
    return fileWithId(this.#show().files, id);
  }

  /** Throws NOT_FOUND, INVALID_INPUT where it cannot be taken off the list this way, STORAGE_FAILED. */
  async remove(modelId: string, deletesFile: boolean): Promise<void> {
    const { locator, store, deleteModel } = this.#parts;
    await removeModel(locator.listedById(modelId), deletesFile, { store, deleteModel });
    await this.refresh();
  }

  /** Throws NOT_FOUND for a family no file belongs to. */
  updateFamily(familyId: string, patch: FamilySettingsPatch): FamilySettings {
    if (!new Set(familyIds(this.#entries).values()).has(familyId)) {
      const sentence = "No model on the list belongs to this family any more. Nothing was changed.";
      throw new RepriseError("NOT_FOUND", sentence, { what: "model", id: familyId });
    }
    const settings = this.#parts.settings.updateFamily(familyId, patch);
    this.#changed();
    return settings;
  }

  /** Throws NOT_FOUND. */
  updateFile(modelId: string, patch: LoadOptionsPatch): LoadOptions {
    const { locator, settings } = this.#parts;
    const options = settings.updateLoadOptions(locator.byId(modelId).id, patch);
    this.#changed();
    return options;
  }

  /** Which model a file holds a level of, which is looked up in the file where it is not known; `null` where it does not tell. */
  async familyOf(modelId: string): Promise<string | null> {
    const find = () => this.#entries.find(({ id }) => id === modelId);
    if (find() === undefined) await this.refresh();
    const entry = find();
    const facts = entry?.facts ?? (entry?.problem === null ? (await this.#parts.readings.of(entry.stamp)).facts : null);
    return (
      familyIds(this.#entries.map((each) => (each.id === modelId ? { ...each, facts } : each))).get(modelId) ?? null
    );
  }

  /** All files of the same model, this one among them; empty while it is not known which model it is. */
  levelsOf(modelId: string): readonly ModelFile[] {
    const familyId = familyIds(this.#entries).get(modelId);
    return this.#show().files.filter((file) => file.familyId !== null && file.familyId === familyId);
  }

  /** Reads the folders again. */
  async refresh(): Promise<void> {
    const { locator, hashes, folderWatch } = this.#parts;
    folderWatch.update();
    const listed = await Promise.all((await locator.scan()).map((model) => this.#look(model)));
    this.#entries = listed.map(({ entry }) => entry);
    // Only now: what is found is written into the entries, and must not come before them.
    for (const { model, file, isRead } of listed) if (file !== null && !isRead) this.#readLater(model, file);
    this.#changed();
    hashes.want(listed.flatMap(({ file, entry }) => (file !== null && entry.problem === null ? [file] : [])));
  }

  /** As its file names it; `null` while that is not known. */
  levelOf(modelId: string): string | null {
    return this.#entries.find(({ id }) => id === modelId)?.facts?.summary?.quantization ?? null;
  }

  /** Something of what is shown is another: a hash or a speed is known now. */
  learned(): void {
    this.#entries = this.#entries.map((entry) => ({ ...entry, sha256: entry.sha256 ?? this.#hashOf(entry) }));
    this.#changed();
  }

  end(): void {
    this.#files.end();
    this.#cards.end();
  }

  async #look(model: ListedModel): Promise<Looked> {
    try {
      const file = await stampFile(model.path);
      const known = this.#parts.readings.known(file);
      const entry = this.#entry(model, file, known ?? nothingRead, await realpath(model.path));
      return { model, entry, file, isRead: known !== null };
    } catch (caught) {
      const missing = { path: model.path, sizeBytes: 0, modifiedMs: 0 };
      const reading = { facts: null, problem: toRepriseError(caught) };
      const entry = this.#entry({ ...model, sizeBytes: 0 }, missing, reading, model.path);
      return { model, entry, file: null, isRead: true };
    }
  }

  #readLater(model: ListedModel, file: FileStamp): void {
    const { readings, locator, quarantine } = this.#parts;
    void readings.of(file).then((found) => {
      const reading = { ...found, problem: found.problem ?? quarantine.problemOf(file) };
      const name = locator.nameOf(model.path, reading.facts?.summary?.name, model.name);
      this.#entries = this.#entries.map((entry) => (entry.id === model.id ? { ...entry, ...reading, name } : entry));
      this.#changed();
    });
  }

  #entry(model: ListedModel, file: FileStamp, { facts, problem: found }: Reading, realPath: string): LibraryEntry {
    const { locator, hashes, quarantine } = this.#parts;
    const problem = found ?? quarantine.problemOf(file);
    const { id, path, source, name } = model;
    return {
      id,
      path,
      realPath,
      source,
      isDefault: locator.isDefault(path),
      name: locator.nameOf(path, facts?.summary?.name, name),
      sizeBytes: model.sizeBytes ?? file.sizeBytes,
      stamp: file,
      facts,
      problem,
      sha256: problem === null ? hashes.known(file) : null,
    };
  }

  #hashOf({ stamp, problem }: LibraryEntry): string | null {
    return problem === null ? this.#parts.hashes.known(stamp) : null;
  }

  #show(): Shown {
    if (this.#shown === null) {
      const { settings, speeds } = this.#parts;
      const loadOptions = (modelId: string) => settings.loadOptions(modelId);
      const files = modelFiles(this.#entries, loadOptions);
      const cards = familyCards(this.#entries, files, {
        settings: (familyId) => settings.family(familyId),
        speedOf: ({ stamp, id }) => speeds.of(stamp, loadOptions(id)),
      });
      this.#shown = { files, cards };
    }
    return this.#shown;
  }

  #changed(): void {
    this.#shown = null;
    this.#files.refresh();
    this.#cards.refresh();
  }
}
