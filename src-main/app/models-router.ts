/** The procedures of the models: the library, the hub, other levels, two of them side by side. */
import { quantizationLevels } from "../contract/quantization-levels.ts";
import type { Agreements } from "./agreements.ts";
import type { Comparisons } from "./comparisons.ts";
import type { DefaultModel } from "./default-model.ts";
import type { EngineSession } from "./engine-session.ts";
import type { HubModels } from "./hub-models.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { ModelDownloads } from "./model-downloads.ts";
import type { ModelFamilies } from "./model-families.ts";
import type { ModelLibrary } from "./model-library.ts";
import type { ModelMeasuring } from "./model-measuring.ts";
import type { ModelProposals } from "./model-proposals.ts";
import type { PromptPreviews } from "./prompt-previews.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Quantizations } from "./quantizations.ts";
import { app } from "./procedures.ts";

export interface ModelUseCases {
  readonly library: ModelLibrary;
  readonly models: ModelChoice;
  readonly families: ModelFamilies;
  readonly previews: PromptPreviews;
  readonly session: EngineSession;
  readonly quarantine: Quarantine;
  readonly defaultModel: DefaultModel;
  readonly hub: HubModels;
  readonly downloads: ModelDownloads;
  readonly proposals: ModelProposals;
  readonly measuring: ModelMeasuring;
  readonly agreements: Agreements;
  readonly comparisons: Comparisons;
  readonly quantizations: Quantizations;
}

const never = new AbortController().signal;

export function modelsRouter(useCases: ModelUseCases) {
  return {
    ...modelProcedures(useCases),
    ...levelProcedures(useCases),
    ...downloadProcedures(useCases),
    ...quantizationProcedures(useCases),
  };
}

function modelProcedures(useCases: ModelUseCases) {
  const { library, families, previews, models, session, quarantine, defaultModel, measuring } = useCases;
  const { models: procedures } = app;
  return {
    list: procedures.list.handler(() => library.list()),
    watch: procedures.watch.handler(({ signal }) => library.watch(signal)),
    add: procedures.add.handler(({ input }) => library.add(input.path)),
    families: procedures.families.handler(({ signal }) => library.watchFamilies(signal)),
    updateFamily: procedures.updateFamily.handler(({ input }) => families.update(input.familyId, input.patch)),
    previewPrompt: procedures.previewPrompt.handler(({ input, signal = never }) => previews.show(input, signal)),
    updateFile: procedures.updateFile.handler(({ input }) => library.updateFile(input.modelId, input.patch)),
    remove: procedures.remove.handler(({ input }) => library.remove(input.modelId, input.deletesFile ?? false)),
    load: procedures.load.handler(async ({ input, signal = never }) => {
      const model = await models.usable(input.modelId, signal);
      if (input.retry === true) quarantine.release(model.path);
      await session.withModel(model, signal, () => Promise.resolve(), "untried");
    }),
    measure: procedures.measure.handler(({ input, signal = never }) => measuring.measure(input.modelId, signal)),
    inspect: procedures.inspect.handler(({ input }) => session.withEngine((client) => client.details(input))),
    check: procedures.check.handler(({ input }) => session.withEngine((client) => client.check(input))),
    plan: procedures.plan.handler(({ input }) => session.withEngine((client) => client.plan(input))),
    fetchDefault: procedures.fetchDefault.handler(() => defaultModel.fetch()),
    cancelFetch: procedures.cancelFetch.handler(() => defaultModel.cancel()),
  };
}

function levelProcedures({ agreements, comparisons }: ModelUseCases) {
  const { models: procedures } = app;
  return {
    agreement: procedures.agreement.handler(({ input, signal = never }) => agreements.measure(input, signal)),
    knownAgreements: procedures.knownAgreements.handler(({ input }) => agreements.known(input)),
    compare: procedures.compare.handler(({ input, signal = never }) => comparisons.compare(input, signal)),
    stopComparison: procedures.stopComparison.handler(({ input }) => {
      comparisons.stop(input.comparisonId);
    }),
    keepCompared: procedures.keepCompared.handler(({ input }) => comparisons.keep(input.comparisonId, input.side)),
  };
}

function downloadProcedures({ hub, downloads, proposals }: ModelUseCases) {
  const { models: procedures } = app;
  return {
    catalogue: procedures.catalogue.handler(() => hub.catalogue()),
    proposals: procedures.proposals.handler(() => proposals.get()),
    hubFiles: procedures.hubFiles.handler(({ input, signal = never }) =>
      hub.files(input.name, input.revision ?? null, signal),
    ),
    get: procedures.get.handler(({ input, signal = never }) => downloads.get(input, signal)),
    downloads: procedures.downloads.handler(({ signal }) => downloads.watch(signal)),
    awaitDownload: procedures.awaitDownload.handler(({ input, signal = never }) =>
      downloads.arrival(input.downloadId, signal),
    ),
    pauseDownload: procedures.pauseDownload.handler(({ input }) => downloads.pause(input.downloadId)),
    resumeDownload: procedures.resumeDownload.handler(({ input }) => downloads.resume(input.downloadId)),
    cancelDownload: procedures.cancelDownload.handler(({ input }) => downloads.cancel(input.downloadId)),
  };
}

function quantizationProcedures({ quantizations }: ModelUseCases) {
  const { models: procedures } = app;
  return {
    levels: procedures.levels.handler(() => [...quantizationLevels()]),
    planQuantization: procedures.planQuantization.handler(({ input, signal = never }) =>
      quantizations.plan(input, signal),
    ),
    quantize: procedures.quantize.handler(({ input, signal = never }) => quantizations.start(input, signal)),
    quantizations: procedures.quantizations.handler(({ signal }) => quantizations.watch(signal)),
    cancelQuantization: procedures.cancelQuantization.handler(({ input }) =>
      quantizations.cancel(input.quantizationId),
    ),
  };
}
