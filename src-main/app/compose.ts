/**
 * Joins store, models and engine to the app that both hosts run. Owns the data folder's lock and closes everything in
 * the order in which it stands on each other.
 */
import type { AppStatus } from "../contract/app-status.ts";
import { toRepriseError, type RepriseError } from "../contract/errors.ts";
import type { MachineMemory } from "../contract/machine-fit.ts";
import type { LaunchEngine } from "../engine-host/engine-process.ts";
import { EngineSupervisor } from "../engine-host/engine-supervisor.ts";
import { Quantizer } from "../engine-host/quantizer.ts";
import { DefaultModel as PublishedDefaultModel } from "../models/default-model.ts";
import { DownloadList } from "../models/download-list.ts";
import { fetchSettings, type FetchSettings } from "../models/fetch-settings.ts";
import { HubClient } from "../models/hub-client.ts";
import { ModelCatalogue } from "../models/model-catalogue.ts";
import { ModelFetcher } from "../models/model-fetcher.ts";
import { deleteModel } from "../models/delete-model.ts";
import { ModelFolder } from "../models/model-folder.ts";
import { ModelReader as WorkerModelReader } from "../models/model-reader.ts";
import { FolderWatch } from "../models/watched/folder-watch.ts";
import { watchPlaces, type WatchPlace } from "../models/watched/watch-places.ts";
import { WatchedModels } from "../models/watched/watched-models.ts";
import { lockDataFolder } from "../store/data-folder-lock.ts";
import { openStore } from "../store/open-store.ts";
import { Agreements } from "./agreements.ts";
import { buildChats } from "./build-chats.ts";
import { CacheFeed } from "./cache-feed.ts";
import { CacheKeeping } from "./cache-keeping.ts";
import { cacheOptions } from "./cache-options.ts";
import { CacheService } from "./cache-service.ts";
import { Comparisons } from "./comparisons.ts";
import { DefaultModel } from "./default-model.ts";
import { EngineSession } from "./engine-session.ts";
import { FileHashes } from "./file-hashes.ts";
import { thisMachine } from "./folders.ts";
import { HubModels } from "./hub-models.ts";
import { KeptAnswers } from "./kept-answers.ts";
import { ModelChoice } from "./model-choice.ts";
import { ModelDownloads } from "./model-downloads.ts";
import { ModelFamilies } from "./model-families.ts";
import { ModelLibrary } from "./model-library.ts";
import { machineMemory } from "./machine-memory.ts";
import { ModelMeasuring } from "./model-measuring.ts";
import { ModelLocator } from "./model-locator.ts";
import { ModelProposals } from "./model-proposals.ts";
import { ModelReadings } from "./model-readings.ts";
import { ModelSpeeds } from "./model-speeds.ts";
import { OnceTold } from "./once-told.ts";
import type { DefaultModelSource, ModelReader, Store } from "./ports.ts";
import { PromptPreviews } from "./prompt-previews.ts";
import { Quarantine } from "./quarantine.ts";
import { QuantizationPlanner } from "./quantization-planner.ts";
import { Quantizations } from "./quantizations.ts";
import { createRouter } from "./router.ts";
import { RunningAnswers } from "./running-answer.ts";
import { SettingsService } from "./settings-service.ts";
import { StatusService } from "./status-service.ts";
import { SwitchCosts } from "./switch-costs.ts";
import { within } from "./within.ts";

export interface RepriseOptions {
  readonly dataFolder: string;
  readonly modelsFolder: string;
  readonly host: AppStatus["host"];
  readonly version: string;
  readonly launchEngine: LaunchEngine;
  /** Starts a process of the quantizer; for each file another one. */
  readonly launchQuantizer: LaunchEngine;
  /** False where nobody is going to chat: listing conversations must not start a download. True where absent. */
  readonly fetchDefaultModel?: boolean;
  /** Where the default model comes from; the published one where absent. */
  readonly defaultModelSource?: DefaultModelSource;
  /** How models are fetched, and from which hub; as the environment says where absent. */
  readonly fetchSettings?: FetchSettings;
  /** Where other programs keep their models; this machine's places where absent. */
  readonly watchPlaces?: readonly WatchPlace[];
  /** What looks into model files; a worker thread where absent. */
  readonly modelReader?: ModelReader;
  /** Of this machine where absent. */
  readonly machineMemory?: () => MachineMemory;
  /** Whether the machine runs on its battery now; where absent, it never does. */
  readonly isOnBattery?: () => boolean;
}

export type Reprise = Awaited<ReturnType<typeof openReprise>>;

/** Time for running answers to end by themselves, and for their texts to be stored once the engine is gone. */
const stopAnswersMs = 3_000;
const cancelFetchMs = 1_000;
const storeAnswersMs = 1_000;
/** For the engine to start, if need be, and to remove what was deleted. */
const tellEngineMs = 10_000;
const closeReaderMs = 1_000;

/**
 * Opens the app on a data folder. Throws ALREADY_RUNNING, FOLDER_UNWRITABLE, DATABASE_NEWER, STORAGE_FAILED; never
 * because a model or the engine is missing.
 */
export async function openReprise(options: RepriseOptions) {
  const lock = lockDataFolder(options.dataFolder);
  try {
    const { store, notices } = openStore({ folder: options.dataFolder });
    const app = build(options, store);
    for (const notice of notices) app.status.addNotice(notice);
    await app.locator.scan().catch((error: unknown) => {
      app.status.addNotice(toRepriseError(error));
    });
    await app.downloads.open(options.fetchDefaultModel !== false).catch((error: unknown) => {
      app.status.addNotice(toRepriseError(error));
    });
    if (options.fetchDefaultModel !== false) void app.defaultModel.fetch().catch(() => undefined);
    let closing: Promise<void> | null = null;
    const close = () =>
      (closing ??= closeInOrder(app, store).finally(() => {
        lock.release();
      }));
    return { router: createRouter(app), dataFolder: options.dataFolder, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

function build(options: RepriseOptions, store: Store) {
  const { dataFolder, modelsFolder, host, version, launchEngine } = options;
  const speeds = new ModelSpeeds(store.modelFiles);
  const status = new StatusService({ version, host, dataFolder, modelsFolder });
  const supervisor = new EngineSupervisor({ launch: launchEngine });
  const optionsOfCache = () => cacheOptions(dataFolder, store);
  const quarantine = new Quarantine(store.quarantine, (error) => {
    status.addNotice(error);
  });
  const loadOptionsOf = (modelId: string) => store.modelSettings.loadOptions(modelId);
  const chatTemplateOf = async (modelId: string): Promise<string | null> =>
    (await families.settingsOf(modelId)).chatTemplate;
  const ofModel = { loadOptionsOf, chatTemplateOf };
  const ofEngine = { supervisor, status, speeds, quarantine, cacheOptions: optionsOfCache, ...ofModel };
  const session = new EngineSession(ofEngine);
  const cacheFeed = new CacheFeed({ session, cacheOptions: optionsOfCache });
  const keeping = new CacheKeeping({ store, session, feed: cacheFeed, status, cacheOptions: optionsOfCache });
  const settings = new SettingsService(store.settings, (patch) => {
    if (patch.storeCache !== undefined || patch.storeBudgetBytes !== undefined) keeping.settingsChanged();
    if (patch.watchFolders !== undefined) void refreshLibrary();
  });
  const running = new RunningAnswers();
  const fetching = options.fetchSettings ?? fetchSettings(process.env);
  const source = options.defaultModelSource ?? new PublishedDefaultModel(modelsFolder, fetching);
  const shelf = buildLibrary(options, store, { status, running, source, quarantine, speeds });
  const { locator, library } = shelf;
  const addNotice = (error: unknown) => {
    status.addNotice(toRepriseError(error));
  };
  const refreshLibrary = () => library.refresh().catch(addNotice);
  quarantine.onChange(() => void refreshLibrary());
  speeds.onMeasured(() => {
    library.learned();
  });
  const defaultModel = new DefaultModel(source, status, () => void refreshLibrary());
  const hub = new HubModels({ hub: new HubClient(fetching), catalogue: new ModelCatalogue() });
  const downloads = new ModelDownloads({
    hub,
    fetcher: new ModelFetcher(modelsFolder, fetching),
    list: new DownloadList(dataFolder),
    onArrived: refreshLibrary,
    onTrouble: addNotice,
  });
  const proposals = new ModelProposals({
    catalogue: () => hub.catalogue(),
    files: () => library.list(),
    speeds,
    modelsFolder,
    memory: options.machineMemory ?? machineMemory,
    freeBytes: () => fetching.freeBytes(modelsFolder).catch(() => fetching.freeBytes(dataFolder)),
  });
  const levelOf = (modelId: string) => library.levelOf(modelId);
  const models = new ModelChoice({ locator, settings: store.settings, defaultModel, levelOf });
  const families = new ModelFamilies({ library, settings: store.modelSettings, models, session });

  const quantizer = new Quantizer(options.launchQuantizer);
  const planner = new QuantizationPlanner({ locator, quantizer, modelsFolder });
  const quantizations = new Quantizations({ planner, quantizer, library, status });

  const { isOnBattery = () => false } = options;
  const chats = buildChats(store, { status, session, models, families, keeping, running, isOnBattery });
  const { prompts } = chats;
  const cache = new CacheService({ store, session, models, prompts });
  const previews = new PromptPreviews({ store, session, models, families, prompts, quarantine });
  const switchCosts = new SwitchCosts({ store, session, models, prompts, speeds, quarantine, ...ofModel });
  const measuring = new ModelMeasuring({ session, models, locator, speeds, loadOptionsOf });
  const agreements = new Agreements({ store, session, models, library, ...ofModel });
  const kept = new KeptAnswers({ store, models, running, ...chats });
  const asked = { store, session, models, families, prompts, speeds, ...ofModel, kept };
  const comparisons = new Comparisons({ ...asked, cacheOptions: optionsOfCache });
  const ofLevels = { switchCosts, measuring, agreements, comparisons };
  const ofFamilies = { families, previews };
  const ofHub = { hub, downloads, proposals };
  const ofModels = { ...shelf, models, defaultModel, quarantine, quantizations, ...ofHub, ...ofLevels, ...ofFamilies };
  return { store, status, settings, session, ...ofModels, keeping, cache, cacheFeed, ...chats };
}

interface LibrarySurroundings {
  readonly status: StatusService;
  readonly running: RunningAnswers;
  readonly source: DefaultModelSource;
  readonly quarantine: Quarantine;
  readonly speeds: ModelSpeeds;
}

function buildLibrary(options: RepriseOptions, store: Store, surroundings: LibrarySurroundings) {
  const { status, running, source, quarantine, speeds } = surroundings;
  const { modelsFolder } = options;
  const { modelFiles, modelFacts, modelSettings } = store;
  const watched = new WatchedModels(options.watchPlaces ?? watchPlaces(thisMachine()));
  const notices = new OnceTold((error) => {
    status.addNotice(error);
  });
  const locator = new ModelLocator({
    modelsFolder,
    defaultModel: source,
    folder: new ModelFolder(modelsFolder),
    store: modelFiles,
    watched: async () => {
      const { files, problems } = await watched.list(store.settings.get().watchFolders);
      notices.tell(problems);
      return files;
    },
  });
  const folderWatch = new FolderWatch({
    folders: () => [modelsFolder, ...store.settings.get().watchFolders],
    onChanged: () => {
      void library.refresh().catch((error: unknown) => {
        notices.tell([toRepriseError(error)]);
      });
    },
  });
  const reader = options.modelReader ?? new WorkerModelReader();
  const onTrouble = (error: RepriseError) => {
    notices.tell([error]);
  };
  const readings = new ModelReadings({ reader, store: modelFacts, onTrouble });
  const hashes = new FileHashes({
    reader,
    store: modelFacts,
    quiet: () => running.allEnded(),
    onHashed: () => {
      library.learned();
    },
  });
  const library = new ModelLibrary({
    store: modelFiles,
    settings: modelSettings,
    speeds,
    locator,
    readings,
    hashes,
    quarantine,
    deleteModel,
    folderWatch,
  });
  return { locator, library, folderWatch, reader, readings, hashes };
}

async function closeInOrder(app: ReturnType<typeof build>, store: Store): Promise<void> {
  app.ahead.close();
  app.switches.close();
  app.measuring.close();
  app.folderWatch.close();
  const answersEnded = app.chat.close();
  const filesEnded = Promise.all([app.defaultModel.cancel(), app.downloads.close(), app.quantizations.close()]);
  await within(Promise.all([answersEnded, within(filesEnded, cancelFetchMs)]), stopAnswersMs);
  await within(app.keeping.whenTold(), tellEngineMs);
  await app.session.stop();
  // Whatever still waited for the engine has lost it now, and ends with the text it has.
  await within(answersEnded, storeAnswersMs);
  // A disk that does not answer must not keep the app open.
  await within(Promise.all([app.hashes.close(), app.reader.close()]), closeReaderMs);
  app.readings.close();
  app.unsaved.retry();
  app.unsaved.end();
  const ofModels = [app.library, app.downloads, app.quantizations];
  for (const readers of [app.feed, app.cacheFeed, ...ofModels, app.settings, app.status]) readers.end();
  store.close();
}
