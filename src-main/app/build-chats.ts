/** Joins the use cases of conversations. */
import { AheadOfUser } from "./ahead-of-user.ts";
import { AnswerWriter } from "./answer-writer.ts";
import type { CacheKeeping } from "./cache-keeping.ts";
import { ChatService } from "./chat-service.ts";
import { ConversationFeed } from "./conversation-feed.ts";
import { Conversations } from "./conversations.ts";
import type { EngineSession } from "./engine-session.ts";
import { FittingPrompts } from "./fitting-prompts.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { ModelFamilies } from "./model-families.ts";
import { ModelSwitches } from "./model-switches.ts";
import type { Store } from "./ports.ts";
import type { RunningAnswers } from "./running-answer.ts";
import type { StatusService } from "./status-service.ts";
import { ThreadView } from "./thread-view.ts";
import { UnsavedAnswers } from "./unsaved-answers.ts";

interface Surroundings {
  readonly status: StatusService;
  readonly session: EngineSession;
  readonly models: ModelChoice;
  readonly families: ModelFamilies;
  readonly keeping: CacheKeeping;
  readonly running: RunningAnswers;
  readonly isOnBattery: () => boolean;
}

/** Everything that a conversation goes through, from the message to the answer and whoever looks on. */
export function buildChats(store: Store, surroundings: Surroundings) {
  const { status, session, models, families, keeping, running, isOnBattery } = surroundings;
  const { messages } = store;
  const unsaved = new UnsavedAnswers(messages, ({ conversationId }) => {
    feed.threadChanged(conversationId);
  });
  const view = new ThreadView({ store, running, unsaved });
  const feed: ConversationFeed = new ConversationFeed({
    view,
    running,
    switching: (conversationId) => switches.of(conversationId),
  });
  const prompts = new FittingPrompts(store.conversations);
  const onChanged = (conversationId: string) => {
    feed.switching(conversationId);
  };
  const switches = new ModelSwitches({ store, session, models, prompts, status, onChanged });
  const ahead = new AheadOfUser({ store, session, models, families, prompts, running, isOnBattery });
  session.observe({
    loaded: () => {
      if (!switches.isGoing) ahead.loaded();
    },
  });
  const writer = new AnswerWriter({ messages, session, models, prompts, running, unsaved, feed, status });
  const chat = new ChatService({ store, models, writer, running, unsaved, feed, ahead, switches });
  const conversations = new Conversations({ store, view, feed, chat, ahead, switches, cache: keeping, families });
  return { prompts, unsaved, view, feed, ahead, switches, chat, conversations };
}
