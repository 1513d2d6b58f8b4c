/** The contract's procedures over the use cases: one router for the window, the browser and the command line. */
import { implement } from "@orpc/server";
import { appContract } from "../contract/app-contract.ts";
import { quantizationLevels } from "../contract/quantization-levels.ts";
import type { Agreements } from "./agreements.ts";
import type { AheadOfUser } from "./ahead-of-user.ts";
import type { CacheFeed } from "./cache-feed.ts";
import type { CacheService } from "./cache-service.ts";
import type { ChatService } from "./chat-service.ts";
import type { Comparisons } from "./comparisons.ts";
import type { ConversationFeed } from "./conversation-feed.ts";
import type { Conversations } from "./conversations.ts";
import type { DefaultModel } from "./default-model.ts";
import type { EngineSession } from "./engine-session.ts";
import type { HubModels } from "./hub-models.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { ModelDownloads } from "./model-downloads.ts";
import type { ModelFamilies } from "./model-families.ts";
import type { ModelLibrary } from "./model-library.ts";
import type { ModelMeasuring } from "./model-measuring.ts";
import type { ModelProposals } from "./model-proposals.ts";
import type { ModelSwitches } from "./model-switches.ts";
import type { Store } from "./ports.ts";
import type { PromptPreviews } from "./prompt-previews.ts";
import type { Quarantine } from "./quarantine.ts";
import type { Quantizations } from "./quantizations.ts";
import type { SettingsService } from "./settings-service.ts";
import type { StatusService } from "./status-service.ts";
import type { SwitchCosts } from "./switch-costs.ts";
import type { ThreadView } from "./thread-view.ts";
import { withTypedErrors } from "./typed-errors.ts";

interface UseCases {
  readonly store: Store;
  readonly status: StatusService;
  readonly settings: SettingsService;
  readonly conversations: Conversations;
  readonly view: ThreadView;
  readonly feed: ConversationFeed;
  readonly chat: ChatService;
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
  readonly ahead: AheadOfUser;
  readonly switches: ModelSwitches;
  readonly switchCosts: SwitchCosts;
  readonly measuring: ModelMeasuring;
  readonly cache: CacheService;
  readonly cacheFeed: CacheFeed;
  readonly agreements: Agreements;
  readonly comparisons: Comparisons;
  readonly quantizations: Quantizations;
}

const never = new AbortController().signal;

const app = implement(appContract).use(({ next }) => withTypedErrors(() => next()));

function conversationProcedures({ conversations, families, view, feed, store }: UseCases) {
  const { conversations: procedures } = app;
  return {
    list: procedures.list.handler(() => view.list()),
    watch: procedures.watch.handler(({ signal }) => feed.watchList(signal)),
    search: procedures.search.handler(({ input }) => store.conversations.search(input.text)),
    create: procedures.create.handler(({ input }) => conversations.create(input)),
    beginning: procedures.beginning.handler(({ input }) => families.beginning(input.modelId)),
    get: procedures.get.handler(({ input }) => view.thread(input.conversationId)),
    update: procedures.update.handler(({ input }) => conversations.update(input.conversationId, input.patch)),
    delete: procedures.delete.handler(({ input }) => conversations.delete(input.conversationId)),
    selectBranch: procedures.selectBranch.handler(({ input }) =>
      conversations.selectBranch(input.conversationId, input.messageId),
    ),
  };
}

function chatProcedures({ chat, conversations, feed, ahead, switches, switchCosts }: UseCases) {
  return {
    send: app.chat.send.handler(({ input }) => chat.send(input)),
    regenerate: app.chat.regenerate.handler(({ input }) => chat.regenerate(input.messageId)),
    stop: app.chat.stop.handler(({ input }) => chat.stop(input.generationId)),
    watch: app.chat.watch.handler(({ input, signal }) => feed.watchChat(input.conversationId, signal)),
    warm: app.chat.warm.handler(({ input }) => {
      switches.opened(input.conversationId);
      return ahead.warm(input.conversationId);
    }),
    prepare: app.chat.prepare.handler(({ input, signal = never }) => ahead.prepare(input, signal)),
    measure: app.chat.measure.handler(({ input, signal = never }) => ahead.measure(input, signal)),
    switchCost: app.chat.switchCost.handler(({ input, signal = never }) =>
      switchCosts.of(input.conversationId, input.modelId, signal),
    ),
    switchModel: app.chat.switchModel.handler(({ input }) =>
      conversations.switchModel(input.conversationId, input.modelId),
    ),
    cancelSwitch: app.chat.cancelSwitch.handler(({ input }) => {
      switches.cancel(input.conversationId);
    }),
  };
}

function cacheProcedures({ cache, cacheFeed }: UseCases) {
  return {
    get: app.cache.get.handler(() => cache.state()),
    watch: app.cache.watch.handler(({ signal }) => cacheFeed.watch(signal)),
    clear: app.cache.clear.handler(() => cache.clear()),
    verify: app.cache.verify.handler(({ signal = never }) => cache.verify(signal)),
    selfTest: app.cache.selfTest.handler(({ input, signal = never }) => cache.selfTest(input.conversationId, signal)),
  };
}

function modelProcedures(useCases: UseCases) {
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

function levelProcedures({ agreements, comparisons }: UseCases) {
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

function downloadProcedures({ hub, downloads, proposals }: UseCases) {
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

function quantizationProcedures({ quantizations }: UseCases) {
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

export function createRouter(useCases: UseCases) {
  const { status, settings } = useCases;
  return app.router({
    status: {
      get: app.status.get.handler(() => status.get()),
      watch: app.status.watch.handler(({ signal }) => status.watch(signal)),
      dismissNotice: app.status.dismissNotice.handler(({ input }) => {
        status.dismissNotice(input.noticeId);
      }),
    },
    settings: {
      get: app.settings.get.handler(() => settings.get()),
      update: app.settings.update.handler(({ input }) => settings.update(input)),
      watch: app.settings.watch.handler(({ signal }) => settings.watch(signal)),
    },
    conversations: conversationProcedures(useCases),
    chat: chatProcedures(useCases),
    cache: cacheProcedures(useCases),
    models: {
      ...modelProcedures(useCases),
      ...levelProcedures(useCases),
      ...downloadProcedures(useCases),
      ...quantizationProcedures(useCases),
    },
  });
}
