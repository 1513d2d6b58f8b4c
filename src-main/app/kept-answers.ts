/** Answers that were written beside the conversation and become part of it. */
import type { KeptAnswer } from "../contract/comparison.ts";
import { RepriseError } from "../contract/errors.ts";
import type { AheadOfUser } from "./ahead-of-user.ts";
import { endOf } from "./answer-end.ts";
import type { Comparison } from "./comparison.ts";
import type { ConversationFeed } from "./conversation-feed.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { Store } from "./ports.ts";
import type { RunningAnswers } from "./running-answer.ts";
import { titleFromMessage } from "./title.ts";

interface Dependencies {
  readonly store: Store;
  readonly models: ModelChoice;
  readonly running: RunningAnswers;
  readonly feed: ConversationFeed;
  readonly ahead: AheadOfUser;
}

export class KeptAnswers {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Throws ALREADY_GENERATING. */
  assertFree(conversationId: string): void {
    if (this.#parts.running.of(conversationId) === null) return;
    const sentence =
      "An answer is still being written in this conversation. Wait for it to end, or stop it, then go on.";
    throw new RepriseError("ALREADY_GENERATING", sentence, { conversationId });
  }

  /**
   * The question and this answer, behind the message where the conversation was when it was asked. Throws NOT_FOUND
   * where the conversation is gone, ALREADY_GENERATING, INVALID_INPUT where that side wrote nothing, STORAGE_FAILED.
   */
  keep({ input, parentId, sides }: Comparison, side: number): KeptAnswer {
    const { store, models, feed, ahead } = this.#parts;
    const { conversationId, text } = input;
    const compared = sides.find((each) => each.side === side);
    const outcome = compared?.outcome ?? null;
    if (compared === undefined || outcome === null || compared.text === "") {
      const sentence = "There is no answer on this side to keep. Nothing was changed.";
      throw new RepriseError("INVALID_INPUT", sentence, { reason: "the side has written nothing" });
    }
    this.assertFree(conversationId);
    const { title } = store.conversations.get(conversationId);
    ahead.answering(conversationId);
    try {
      const question = store.messages.addUserMessage({ conversationId, parentId, content: text });
      const signature = models.signatureFor(compared.model.id);
      const answer = store.messages.addAnswer({ conversationId, parentId: question.id, ...signature });
      store.messages.finish(answer.id, endOf(compared.text, outcome));
      const named = title === "" ? titleFromMessage(text) : "";
      if (named !== "") store.conversations.update(conversationId, { title: named });
      return { conversationId, userMessageId: question.id, messageId: answer.id };
    } finally {
      feed.threadChanged(conversationId);
    }
  }
}
