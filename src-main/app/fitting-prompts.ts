/**
 * Prompts that fit, as each conversation's overflow policy wants it. It owns where the prompts of drafts begin that have
 * left something out; where the last answer's began is stored with the conversation, so that the next one is computed
 * from there also after a restart.
 */
import type { Conversation } from "../contract/conversation.ts";
import type { PromptMessage } from "../contract/engine-contract.ts";
import { RepriseError, toRepriseError } from "../contract/errors.ts";
import { dropOldestTurns, overflowOf } from "./overflow.ts";
import type { ConversationStore } from "./ports.ts";

type Cuts = Pick<ConversationStore, "leftOut" | "setLeftOut">;

/** What the prompt is for: what an answer or a draft leaves out, the next one leaves out too as long as it is enough. */
type Purpose = "answer" | "draft" | "look";

export class FittingPrompts {
  readonly #cuts: Cuts;
  readonly #draftCuts = new Map<string, number>();

  constructor(cuts: Cuts) {
    this.#cuts = cuts;
  }

  /**
   * Runs `use` with the prompt, and where the engine finds it too long and the policy allows it, with less and less of
   * it. Throws what `use` throws; CONTEXT_FULL says how many messages would have to be left out.
   */
  async attempt<T>(
    { id, overflowPolicy }: Pick<Conversation, "id" | "overflowPolicy">,
    whole: readonly PromptMessage[],
    purpose: Purpose,
    use: (messages: PromptMessage[], droppedMessages: number) => Promise<T>,
  ): Promise<T> {
    let messages = whole;
    let droppedMessages = 0;
    for (;;) {
      try {
        const result = await use([...messages], droppedMessages);
        this.#keep(id, droppedMessages, purpose);
        return result;
      } catch (caught) {
        const error = toRepriseError(caught);
        const overflow = overflowOf(error);
        if (overflow === null) throw error;
        const shorter = dropOldestTurns(messages, overflow, droppedMessages === 0 ? this.#before(id) : []);
        if (shorter === null || overflowPolicy !== "drop-oldest") {
          const data = { ...overflow, droppableMessages: shorter?.droppedMessages ?? 0 };
          throw new RepriseError("CONTEXT_FULL", error.message, data, { cause: error });
        }
        messages = shorter.messages;
        droppedMessages += shorter.droppedMessages;
      }
    }
  }

  /** How many messages the last answer's prompt was without. */
  lastCut(conversationId: string): number {
    return this.#cuts.leftOut(conversationId);
  }

  forget(conversationId: string): void {
    this.#draftCuts.delete(conversationId);
  }

  /** The answer's first: what it computed is stored, and the draft that needed more may have become shorter. */
  #before(id: string): number[] {
    return [this.#cuts.leftOut(id), this.#draftCuts.get(id) ?? 0].filter((messages) => messages > 0);
  }

  #keep(id: string, droppedMessages: number, purpose: Purpose): void {
    if (purpose === "answer") this.#draftCuts.delete(id);
    if (droppedMessages === 0 || purpose === "look") return;
    if (purpose === "draft") this.#draftCuts.set(id, droppedMessages);
    else if (this.#cuts.leftOut(id) !== droppedMessages) this.#store(id, droppedMessages);
  }

  #store(id: string, droppedMessages: number): void {
    try {
      this.#cuts.setLeftOut(id, droppedMessages);
    } catch {
      // The answer is told that storing fails; this costs a computation at most.
      this.#draftCuts.set(id, droppedMessages);
    }
  }
}
