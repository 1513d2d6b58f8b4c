/**
 * A switch whose work in the background a person has ended. Owns for which conversation, model and message that was: it
 * holds as long as these are what they were, and meanwhile nothing begins the same work by itself.
 */
import type { Connection } from "./connection.svelte.ts";
import type { Problems } from "./problems.svelte.ts";
import type { ReadyThread } from "./thread-reducer.ts";

export class DeclinedSwitch {
  #declined = $state.raw<string | null>(null);
  readonly #connection: Connection;
  readonly #problems: Problems;

  constructor(connection: Connection, problems: Problems) {
    this.#connection = connection;
    this.#problems = problems;
  }

  isDeclined(thread: ReadyThread): boolean {
    return this.#declined === situationOf(thread);
  }

  async decline(thread: ReadyThread): Promise<void> {
    this.#declined = situationOf(thread);
    const conversationId = thread.conversation.id;
    await this.#problems.attempt(this.#connection.call((client) => client.chat.cancelSwitch({ conversationId })));
  }

  /** It is wanted after all. */
  forget(): void {
    this.#declined = null;
  }
}

function situationOf({ conversation, messages }: ReadyThread): string {
  return [conversation.id, conversation.modelId, messages.at(-1)?.id].join(" ");
}
