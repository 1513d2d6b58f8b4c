/** What is searched for, and what main found in the messages. Titles are the list's own to filter, at once. */
import type { SearchHit } from "../../src-main/contract/conversation.ts";
import type { Connection } from "./connection.svelte.ts";
import { pause } from "./pause.ts";

const typingPauseMs = 120;

export class ConversationSearch {
  readonly #connection: Connection;
  #query = $state("");
  #hits = $state.raw<readonly SearchHit[]>([]);
  #running = new AbortController();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  get query(): string {
    return this.#query;
  }

  set query(query: string) {
    this.#query = query;
    this.#running.abort();
    this.#running = new AbortController();
    if (query.trim() === "") this.#hits = [];
    else void this.#search(query, this.#running.signal);
  }

  /** What was found in a conversation. Hits of the last finished search stay while the next one runs. */
  hitIn(conversationId: string): SearchHit | null {
    return this.#hits.find((hit) => hit.conversationId === conversationId) ?? null;
  }

  async #search(text: string, signal: AbortSignal): Promise<void> {
    await pause(typingPauseMs, signal);
    if (signal.aborted) return;
    // Without a connection the titles still can be searched, and the banner tells that it is lost.
    const hits = await this.#connection
      .call((client) => client.conversations.search({ text }, { signal }))
      .catch(() => []);
    if (signal === this.#running.signal) this.#hits = hits;
  }
}
