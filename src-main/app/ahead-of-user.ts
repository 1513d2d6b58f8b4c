/**
 * Work that is done before it is asked for: putting a conversation in place when it is opened, computing a draft while
 * it is typed. It gives way to every answer, and nobody is told where it fails, since the answer itself then tells. It
 * owns which of it is going on: one conversation is being put in place at a time, and one draft of each computed.
 */
import type { Draft, DraftSize } from "../contract/draft.ts";
import type { PromptMessage } from "../contract/engine-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import { abortable } from "./abortable.ts";
import { draftSize } from "./draft-size.ts";
import { draftedConversation, type DraftedConversation } from "./drafted-conversation.ts";
import type { EngineSession } from "./engine-session.ts";
import type { FittingPrompts } from "./fitting-prompts.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { ModelFamilies } from "./model-families.ts";
import type { EngineClient, Store } from "./ports.ts";
import { promptSoFar, promptWithDraft } from "./prompt.ts";
import type { RunningAnswers } from "./running-answer.ts";

interface Dependencies {
  readonly store: Store;
  readonly session: EngineSession;
  readonly models: ModelChoice;
  readonly families: ModelFamilies;
  readonly prompts: FittingPrompts;
  readonly running: RunningAnswers;
  readonly isOnBattery: () => boolean;
}

interface Warmed {
  /** An answer was in the way, or came between. */
  readonly isInterrupted: boolean;
}

export class AheadOfUser {
  readonly #parts: Dependencies;
  #warming: { readonly conversationId: string; readonly end: AbortController } | null = null;
  readonly #preparing = new Map<string, AbortController>();

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Loads the model where that interrupts nobody. Resolves when it is over, one way or the other. Throws NOT_FOUND. */
  async warm(conversationId: string): Promise<Warmed> {
    const { store, session, models, running } = this.#parts;
    const { modelId } = store.conversations.get(conversationId);
    if (running.of(conversationId) !== null) return { isInterrupted: false };
    const end = new AbortController();
    this.#warming?.end.abort();
    const warming = { conversationId, end };
    this.#warming = warming;
    const warmed = models
      .usable(modelId, end.signal)
      .then((model) =>
        session.besideAnswers(model, end.signal, (client, signal) => this.#restore(client, conversationId, signal)),
      );
    const { isInterrupted } = await warmed.then(
      (outcome) => outcome ?? { isInterrupted: true },
      (caught: unknown) => ({ isInterrupted: isAbort(caught instanceof RepriseError ? caught.cause : caught) }),
    );
    if (this.#warming === warming) this.#warming = null;
    // Whoever opened another conversation does not want this one any more.
    return { isInterrupted: isInterrupted && !end.signal.aborted };
  }

  /**
   * A model was loaded. Unless somebody has asked for something else, the conversation that was used last with it comes
   * back in place: it is the one most likely to go on, and after a start nothing else is there.
   */
  loaded(): void {
    const { store, session, models, running } = this.#parts;
    if (this.#warming !== null || running.all().length > 0) return;
    const latest = store.conversations.list().find(({ modelId }) => {
      const path = models.chosen(modelId)?.path;
      return path !== undefined && path === session.loadedPath;
    });
    if (latest !== undefined) void this.warm(latest.id);
  }

  /**
   * Computes the draft where the settings allow it and its model is loaded; while an answer is written in the
   * conversation, when that has ended. Empty text only ends the draft before. Throws NOT_FOUND.
   */
  async prepare(draft: Draft, caller: AbortSignal): Promise<void> {
    const { conversationId, text } = draft;
    draftedConversation(this.#parts.store, draft);
    this.#endDraft(conversationId);
    if (text === "" || !this.#mayPrepare()) return;
    const end = new AbortController();
    this.#preparing.set(conversationId, end);
    await orNull(() => this.#compute(draft, AbortSignal.any([end.signal, caller])));
    if (this.#preparing.get(conversationId) === end) this.#preparing.delete(conversationId);
  }

  /** `null` where the conversation's model is not loaded. Throws NOT_FOUND. */
  async measure(draft: Draft, signal: AbortSignal): Promise<DraftSize | null> {
    const { store, session, models, prompts } = this.#parts;
    const { conversationId, text } = draft;
    const conversation = await this.#drafted(draft);
    const model = models.chosen(conversation.modelId);
    if (model === null) return null;
    const whole = promptWithDraft(store.messages, conversation, text);
    return orNull(() =>
      session.whereLoaded(model, signal, (client, ending) => {
        const measure = (messages: PromptMessage[]) =>
          abortable(client.measure({ conversationId, messages }, { signal: ending }), ending);
        return draftSize(prompts, conversation, { whole, measure });
      }),
    );
  }

  /** An answer begins here: the draft was sent, or is the draft of something else now. */
  answering(conversationId: string): void {
    this.#endDraft(conversationId);
  }

  deleted(conversationId: string): void {
    this.#endDraft(conversationId);
    if (this.#warming?.conversationId === conversationId) this.#warming.end.abort();
    this.#parts.prompts.forget(conversationId);
  }

  close(): void {
    this.#warming?.end.abort();
    for (const conversationId of this.#preparing.keys()) this.#endDraft(conversationId);
  }

  async #compute(draft: Draft, signal: AbortSignal): Promise<void> {
    const { store, session, models, prompts, running } = this.#parts;
    const { conversationId, text } = draft;
    await abortable(running.of(conversationId)?.ended ?? Promise.resolve(undefined), signal);
    const conversation = await this.#drafted(draft);
    const model = models.chosen(conversation.modelId);
    if (model === null) return;
    await session.whereLoaded(model, signal, (client, ending) =>
      prompts.attempt(conversation, promptWithDraft(store.messages, conversation, text), "draft", (messages) =>
        abortable(client.prepare({ conversationId, messages }, { signal: ending }), ending),
      ),
    );
  }

  /** Throws NOT_FOUND. */
  async #drafted(draft: Draft): Promise<DraftedConversation> {
    const { store, families } = this.#parts;
    return draftedConversation(store, await families.draftWithBeginning(draft));
  }

  async #restore(client: EngineClient, conversationId: string, signal: AbortSignal): Promise<Warmed> {
    const { store, prompts } = this.#parts;
    const conversation = store.conversations.get(conversationId);
    const whole = promptSoFar(store.messages, conversation);
    if (whole.length === 0) return { isInterrupted: false };
    return prompts.attempt(conversation, whole, "look", (messages) =>
      abortable(client.warm({ conversationId, messages }, { signal }), signal),
    );
  }

  #mayPrepare(): boolean {
    const { store, isOnBattery } = this.#parts;
    switch (store.settings.get().prepareDrafts) {
      case "on":
        return true;
      case "off":
        return false;
      case "auto":
        return !isOnBattery();
    }
  }

  #endDraft(conversationId: string): void {
    this.#preparing.get(conversationId)?.abort();
    this.#preparing.delete(conversationId);
  }
}

function isAbort(caught: unknown): boolean {
  return caught instanceof DOMException && caught.name === "AbortError";
}

async function orNull<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch {
    // Sending the message meets the same trouble, and that is where it is told.
    return null;
  }
}
