/**
 * Prompts that fit, as each conversation's overflow policy wants it. It owns how much of which conversation was left
 * out the last time: only in memory, for it costs a computation at most.
 */
import type { Conversation } from "../contract/conversation.ts";
import type { PromptMessage } from "../contract/engine-contract.ts";
import { RepriseError, toRepriseError } from "../contract/errors.ts";
import { dropOldestTurns, overflowOf } from "./overflow.ts";

export class FittingPrompts {
  readonly #dropped = new Map<string, number>();

  /**
   * Runs `use` with the prompt, and where the engine finds it too long and the policy allows it, with less and less of
   * it. Throws what `use` throws; CONTEXT_FULL says how many messages would have to be left out.
   */
  async attempt<T>(
    { id, overflowPolicy }: Pick<Conversation, "id" | "overflowPolicy">,
    whole: readonly PromptMessage[],
    use: (messages: PromptMessage[], droppedMessages: number) => Promise<T>,
  ): Promise<T> {
    let messages = whole;
    let droppedMessages = 0;
    for (;;) {
      try {
        const result = await use([...messages], droppedMessages);
        if (droppedMessages > 0) this.#dropped.set(id, droppedMessages);
        return result;
      } catch (caught) {
        const error = toRepriseError(caught);
        const overflow = overflowOf(error);
        if (overflow === null) throw error;
        const before = droppedMessages === 0 ? (this.#dropped.get(id) ?? 0) : 0;
        const shorter = dropOldestTurns(messages, overflow, before);
        if (shorter === null || overflowPolicy !== "drop-oldest") {
          const data = { ...overflow, droppableMessages: shorter?.droppedMessages ?? 0 };
          throw new RepriseError("CONTEXT_FULL", error.message, data, { cause: error });
        }
        messages = shorter.messages;
        droppedMessages += shorter.droppedMessages;
      }
    }
  }

  forget(conversationId: string): void {
    this.#dropped.delete(conversationId);
  }
}
