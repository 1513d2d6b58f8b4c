/** The contract's procedures over the use cases: one router for the window, the browser and the command line. */
import type { AheadOfUser } from "./ahead-of-user.ts";
import type { CacheFeed } from "./cache-feed.ts";
import type { CacheService } from "./cache-service.ts";
import type { ChatService } from "./chat-service.ts";
import type { ConversationFeed } from "./conversation-feed.ts";
import type { Conversations } from "./conversations.ts";
import type { ModelSwitches } from "./model-switches.ts";
import type { Store } from "./ports.ts";
import type { SettingsService } from "./settings-service.ts";
import type { StatusService } from "./status-service.ts";
import type { SwitchCosts } from "./switch-costs.ts";
import type { ThreadView } from "./thread-view.ts";
import { modelsRouter, type ModelUseCases } from "./models-router.ts";
import { app } from "./procedures.ts";

interface UseCases extends ModelUseCases {
  readonly store: Store;
  readonly status: StatusService;
  readonly settings: SettingsService;
  readonly conversations: Conversations;
  readonly view: ThreadView;
  readonly feed: ConversationFeed;
  readonly chat: ChatService;
  readonly ahead: AheadOfUser;
  readonly switches: ModelSwitches;
  readonly switchCosts: SwitchCosts;
  readonly cache: CacheService;
  readonly cacheFeed: CacheFeed;
}

const never = new AbortController().signal;

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
    models: modelsRouter(useCases),
  });
}
