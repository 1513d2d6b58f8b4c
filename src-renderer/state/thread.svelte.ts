/**
 * One conversation as it is watched. Owns the thread of the window's open conversation: takes the first snapshot and
 * every change after it, and watches anew when a change is missing.
 */
import type { ChatEvent } from "../../src-main/contract/app-contract.ts";
import type { Message } from "../../src-main/contract/conversation.ts";
import type { Connection } from "./connection.svelte.ts";
import { FrameBatch } from "./frame-batch.ts";
import { toErrorView } from "./problems.svelte.ts";
import { reduceThread, type ThreadState } from "./thread-reducer.ts";

export class Thread {
  readonly conversationId: string;
  #state = $state.raw<ThreadState>({ name: "loading" });
  readonly #connection: Connection;
  readonly #batch: FrameBatch<ChatEvent>;
  #unfollow: (() => void) | null = null;
  readonly #onFinished: (message: Message) => void;

  constructor(connection: Connection, conversationId: string, onFinished: (message: Message) => void) {
    this.conversationId = conversationId;
    this.#connection = connection;
    this.#onFinished = onFinished;
    this.#batch = new FrameBatch((events) => {
      this.#apply(events);
    });
    this.#watch();
  }

  get state(): ThreadState {
    return this.#state;
  }

  close(): void {
    this.#unfollow?.();
    this.#batch.clear();
  }

  #watch(): void {
    this.close();
    this.#unfollow = this.#connection.follow<ChatEvent>({
      open: (client, signal) => client.chat.watch({ conversationId: this.conversationId }, { signal }),
      onEvent: (event) => {
        this.#batch.add(event);
        if (event.type !== "delta" && event.type !== "phase") this.#batch.flush();
      },
      onError: (caught) => {
        const error = toErrorView(caught);
        this.#state = error.code === "NOT_FOUND" ? { name: "deleted" } : { name: "failed", error };
        return error.code !== "NOT_FOUND";
      },
    });
  }

  #apply(events: readonly ChatEvent[]): void {
    let state = this.#state;
    for (const event of events) {
      const next = reduceThread(state, event);
      if (next === null) {
        this.#watch();
        return;
      }
      state = next;
    }
    this.#state = state;
    for (const event of events) {
      if (event.type === "finished") this.#onFinished(event.message);
    }
  }
}
