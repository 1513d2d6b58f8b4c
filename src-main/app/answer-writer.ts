/**
 * Writes one answer: model, prompt, engine, store, readers. It runs to its end whoever looks on, and whatever happens
 * the text so far is stored with a status that says how it ended.
 */
import type { Message } from "../contract/conversation.ts";
import { toRepriseError } from "../contract/errors.ts";
import { endAfterError, endOf, type EngineOutcome } from "./answer-end.ts";
import { streamAnswer, type AnswerListener } from "./answer-stream.ts";
import { Checkpointer } from "./checkpointer.ts";
import type { ConversationFeed } from "./conversation-feed.ts";
import type { EngineSession } from "./engine-session.ts";
import type { FittingPrompts } from "./fitting-prompts.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { AnswerEnd, EngineClient, MessageStore, StoredConversation } from "./ports.ts";
import { withoutEmptyAnswers } from "./prompt.ts";
import type { RunningAnswer, RunningAnswers } from "./running-answer.ts";
import type { StatusService } from "./status-service.ts";
import type { UnsavedAnswers } from "./unsaved-answers.ts";

interface Dependencies {
  readonly messages: MessageStore;
  readonly session: EngineSession;
  readonly models: ModelChoice;
  readonly prompts: FittingPrompts;
  readonly running: RunningAnswers;
  readonly unsaved: UnsavedAnswers;
  readonly feed: ConversationFeed;
  readonly status: StatusService;
}

export class AnswerWriter {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Never rejects: whatever goes wrong is how the answer ended. */
  async write(answer: RunningAnswer, conversation: StoredConversation): Promise<void> {
    const { messages, status } = this.#parts;
    const save = () => {
      messages.checkpoint(answer.message.id, { content: answer.text, tokens: null });
    };
    const checkpointer = new Checkpointer(save, (error) => {
      status.addNotice(error);
    });
    const end = await this.#generate(answer, conversation, this.#listener(answer, checkpointer)).then(
      (outcome) => endOf(answer.text, outcome),
      (caught: unknown) => endAfterError(answer.text, caught, answer.stopSignal.aborted),
    );
    checkpointer.end();
    this.#finish(answer, end);
  }

  #listener(answer: RunningAnswer, checkpointer: Checkpointer): AnswerListener {
    const { feed } = this.#parts;
    return {
      prefill: (doneTokens, totalTokens) => {
        answer.enter({ name: "prefill", doneTokens, totalTokens });
        feed.phase(answer);
      },
      delta: (text) => {
        answer.enter({ name: "decode" });
        answer.append(text);
        feed.delta(answer, text);
        checkpointer.grew();
      },
    };
  }

  async #generate(
    answer: RunningAnswer,
    conversation: StoredConversation,
    listener: AnswerListener,
  ): Promise<EngineOutcome> {
    const { session, models } = this.#parts;
    const stop = answer.stopSignal;
    const model = await models.usable(conversation.modelId, stop);
    const engine = { hasPrompt: false };
    const attempt = () =>
      session.withModel(model, stop, (client) => {
        engine.hasPrompt = true;
        return this.#stream(client, answer, conversation, listener);
      });
    try {
      return await attempt();
    } catch (error) {
      // Still in the queue: it was another answer that brought the engine down.
      const isInnocent = engine.hasPrompt && answer.generation.phase.name === "queued" && !stop.aborted;
      if (isInnocent && toRepriseError(error).code === "ENGINE_CRASHED") return attempt();
      throw error;
    }
  }

  #stream(
    client: EngineClient,
    { message, generationId, stopSignal }: RunningAnswer,
    conversation: StoredConversation,
    listener: AnswerListener,
  ): Promise<EngineOutcome> {
    const { id: conversationId, sampling } = conversation;
    const whole = withoutEmptyAnswers(this.#parts.messages.prompt(message.parentId ?? message.id));
    return this.#parts.prompts.attempt(conversation, whole, "answer", async (messages, droppedMessages) => {
      const input = { generationId, conversationId, kind: "turn" as const, droppedMessages, messages, sampling };
      const outcome = await streamAnswer(client, input, stopSignal, listener);
      this.#parts.status.setContextTokens(outcome.report.context.sizeTokens);
      return outcome;
    });
  }

  #finish(answer: RunningAnswer, end: AnswerEnd): void {
    const { running, feed, status } = this.#parts;
    const message = this.#keep(answer, end);
    running.remove(answer);
    try {
      feed.finished(answer, message);
    } catch (caught) {
      status.addNotice(toRepriseError(caught));
    } finally {
      answer.end();
    }
  }

  #keep(answer: RunningAnswer, end: AnswerEnd): Message {
    const { messages, unsaved, status } = this.#parts;
    try {
      return messages.finish(answer.message.id, end);
    } catch (caught) {
      status.addNotice(toRepriseError(caught));
      return unsaved.keep(answer.message, end, caught);
    }
  }
}
