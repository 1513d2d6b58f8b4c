/**
 * Who watches which conversation. A reader first gets the thread as it is in memory, then every change, numbered one by
 * one; text comes at most once a frame, and a reader that falls behind gets the thread again instead of a backlog. What
 * a change costs does not grow with the conversation.
 */
import { AsyncIteratorClass } from "@orpc/server";
import type { ChatEvent, Generation } from "../contract/app-contract.ts";
import type { Message, Thread } from "../contract/conversation.ts";
import type { ModelSwitch } from "../contract/model-switch.ts";
import { EventHub } from "./event-hub.ts";

type WithoutSeq<Event> = Event extends unknown ? Omit<Event, "seq"> : never;
export type ChatChange = WithoutSeq<ChatEvent>;

const frameMs = 16;
const backlogCharacters = 32_768;

function mergeDeltas(earlier: ChatChange, later: ChatChange): ChatChange | null {
  const isSameText = earlier.type === "delta" && later.type === "delta" && earlier.messageId === later.messageId;
  return isSameText ? { ...earlier, text: earlier.text + later.text } : null;
}

function sizeOf(change: ChatChange): number {
  if (change.type === "delta") return change.text.length;
  if (change.type !== "path") return 1;
  const characters = change.messages.reduce((total, { content }) => total + content.length, 1);
  // A long message by itself is no backlog: the thread that would stand for it is longer.
  return Math.min(characters, backlogCharacters / 2);
}

interface Sources {
  /** Throws NOT_FOUND where there is no such conversation. */
  readonly assertExists: (conversationId: string) => void;
  readonly thread: (conversationId: string) => Thread;
  readonly generation: (conversationId: string) => Generation | null;
  readonly switching: (conversationId: string) => ModelSwitch | null;
}

export class ChatWatch {
  readonly #sources: Sources;
  readonly #hubs = new Map<string, EventHub<ChatChange>>();
  #ended = false;

  constructor(sources: Sources) {
    this.#sources = sources;
  }

  /** Throws NOT_FOUND where there is no such conversation. */
  watch(conversationId: string, signal?: AbortSignal): AsyncIteratorObject<ChatEvent, undefined> {
    this.#sources.assertExists(conversationId);
    const hub = this.#hubs.get(conversationId) ?? this.#createHub(conversationId);
    const changes = hub.watch(signal);
    const leave = async () => {
      await changes.return?.();
      if (hub.readerCount === 0 && this.#hubs.get(conversationId) === hub) this.#hubs.delete(conversationId);
    };
    return numbered(changes, leave);
  }

  publish(conversationId: string, change: ChatChange): void {
    this.#hubs.get(conversationId)?.publish(change);
  }

  /** The active path is another one: everybody gets the thread. */
  refresh(conversationId: string): void {
    this.#hubs.get(conversationId)?.refresh();
  }

  finished(conversationId: string, generationId: string, message: Message): void {
    this.publish(conversationId, { type: "finished", generationId, message });
  }

  deleted(conversationId: string): void {
    this.publish(conversationId, { type: "deleted" });
    this.#hubs.get(conversationId)?.end();
    this.#hubs.delete(conversationId);
  }

  end(): void {
    this.#ended = true;
    for (const hub of this.#hubs.values()) hub.end();
  }

  #createHub(conversationId: string): EventHub<ChatChange> {
    const hub = new EventHub<ChatChange>({
      snapshot: () => ({
        type: "thread",
        thread: this.#sources.thread(conversationId),
        generation: this.#sources.generation(conversationId),
        switching: this.#sources.switching(conversationId),
      }),
      backlogLimit: backlogCharacters,
      sizeOf,
      merge: mergeDeltas,
      mustArrive: ({ type }) => type === "finished" || type === "deleted",
      gapMs: ({ type }) => (type === "delta" ? frameMs : 0),
    });
    if (this.#ended) hub.end();
    this.#hubs.set(conversationId, hub);
    return hub;
  }
}

function numbered(
  changes: AsyncIteratorObject<ChatChange, undefined>,
  leave: () => Promise<void>,
): AsyncIteratorObject<ChatEvent, undefined> {
  let seq = 0;
  return new AsyncIteratorClass<ChatEvent, undefined>(async () => {
    const { done, value } = await changes.next();
    if (done === true) return { done, value: undefined };
    const event: ChatEvent = { ...value, seq };
    seq += 1;
    return { done: false, value: event };
  }, leave);
}
