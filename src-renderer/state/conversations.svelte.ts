/** The list of conversations, its filter and its division into days. Owns no conversation's content. */
import type { ConversationListEvent } from "../../src-main/contract/app-contract.ts";
import type { ConversationSummary } from "../../src-main/contract/conversation.ts";
import { groupConversations, isSameDay } from "../chat/conversation-groups.ts";
import { filterConversations } from "../chat/title-filter.ts";
import type { Connection } from "./connection.svelte.ts";
import { ConversationSearch } from "./conversation-search.svelte.ts";
import { reduceConversationList } from "./conversation-list-reducer.ts";

export class Conversations {
  #list = $state.raw<readonly ConversationSummary[] | null>(null);
  /** Changes with the day, so that "Today" does not grow old in a window that stays open. */
  #now = $state(Date.now());
  readonly search: ConversationSearch;

  readonly filtered = $derived.by(() =>
    filterConversations(this.#list ?? [], this.search.query, (id) => this.search.hitIn(id) !== null),
  );
  readonly groups = $derived.by(() => groupConversations(this.filtered, this.#now));

  constructor(connection: Connection) {
    this.search = new ConversationSearch(connection);
    connection.follow<ConversationListEvent>({
      open: (client, signal) => client.conversations.watch(undefined, { signal }),
      onEvent: (event) => {
        this.#list = reduceConversationList(this.#list ?? [], event);
      },
    });
  }

  /** Most recently used first; `null` until it has arrived for the first time. */
  get list(): readonly ConversationSummary[] | null {
    return this.#list;
  }

  /** What day it is, for the division into days. */
  setNow(now: number): void {
    if (!isSameDay(now, this.#now)) this.#now = now;
  }

  find(conversationId: string): ConversationSummary | null {
    return this.#list?.find(({ id }) => id === conversationId) ?? null;
  }
}
