import { ORPCError } from "@orpc/client";
import { describe, expect, test, vi } from "vitest";
import type { ChatEvent } from "../../../src-main/contract/app-contract.ts";
import type { Message } from "../../../src-main/contract/conversation.ts";
import { Thread } from "../../../src-renderer/state/thread.svelte.ts";
import { eventSource, type EventSource } from "../../helpers/event-source.ts";
import { openConnection } from "../../helpers/fake-connection.ts";
import { sampleMessage, sampleThread } from "../../helpers/sample-thread.ts";

const answer = sampleMessage({ id: "m2", role: "assistant", content: "", status: "streaming" });
const snapshot = (content: string): ChatEvent => ({
  type: "thread",
  seq: 0,
  thread: sampleThread([{ ...answer, content }]),
  generation: { generationId: "g1", messageId: "m2", phase: { name: "decode" } },
  switching: null,
});
const delta = (seq: number, text: string): ChatEvent => ({
  type: "delta",
  seq,
  generationId: "g1",
  messageId: "m2",
  text,
});

/** A thread whose watches a test feeds, one after the other. */
async function watched() {
  const watches: EventSource<ChatEvent>[] = [];
  const finished: Message[] = [];
  const connection = await openConnection({
    chat: {
      watch: () => {
        const source = eventSource<ChatEvent>();
        watches.push(source);
        return Promise.resolve(source);
      },
    },
  });
  const thread = new Thread(connection, "c1", (message) => finished.push(message));
  await vi.waitUntil(() => watches.length === 1);
  const text = () =>
    thread.state.name === "ready" ? thread.state.messages.map(({ content }) => content).join("") : null;
  return { thread, watches, finished, text };
}

describe("a watched thread", () => {
  test("shows the snapshot and what follows", async () => {
    const { watches, text } = await watched();
    watches[0]?.push(snapshot("Par"));
    watches[0]?.push(delta(1, "i"));
    watches[0]?.push(delta(2, "s"));
    await vi.waitUntil(() => text() === "Paris");
  });

  test("is watched again where an event is missing, and loses nothing", async () => {
    const { watches, text } = await watched();
    watches[0]?.push(snapshot("Par"));
    watches[0]?.push(delta(5, "?"));
    await vi.waitUntil(() => watches.length === 2);

    watches[1]?.push(snapshot("Pari"));
    watches[1]?.push(delta(1, "s"));
    watches[0]?.push(delta(6, "?"));
    await vi.waitUntil(() => text() === "Paris");
  });

  test("tells of an answer that is finished", async () => {
    const { watches, finished } = await watched();
    const message = { ...answer, content: "Paris", status: "complete" as const };
    watches[0]?.push(snapshot(""));
    watches[0]?.push({ type: "finished", seq: 1, generationId: "g1", message });
    await vi.waitUntil(() => finished.length === 1);
    expect(finished).toEqual([message]);
  });

  test("knows when the conversation is not there", async () => {
    const { thread, watches } = await watched();
    const data = { what: "conversation", id: "c1" };
    watches[0]?.end(new ORPCError("NOT_FOUND", { message: "There is no such conversation.", data }));
    await vi.waitUntil(() => thread.state.name === "deleted");
  });

  test("says why it cannot be read, until it can", async () => {
    const { thread, watches, text } = await watched();
    watches[0]?.end(new ORPCError("STORAGE_FAILED", { message: "The disk.", data: { reason: "other", detail: "x" } }));
    await vi.waitUntil(() => thread.state.name === "failed");
    await vi.waitUntil(() => watches.length === 2);
    watches[1]?.push(snapshot("Paris"));
    await vi.waitUntil(() => text() === "Paris");
  });
});
