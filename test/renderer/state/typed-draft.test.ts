import { describe, expect, test, vi } from "vitest";
import type { ChatEvent, Generation } from "../../../src-main/contract/app-contract.ts";
import { settingsSchema } from "../../../src-main/contract/settings.ts";
import { Chat } from "../../../src-renderer/state/chat.svelte.ts";
import { Connection } from "../../../src-renderer/state/connection.svelte.ts";
import { Drafts } from "../../../src-renderer/state/drafts.svelte.ts";
import { LocalStore } from "../../../src-renderer/state/local-store.ts";
import { Problems } from "../../../src-renderer/state/problems.svelte.ts";
import { Route } from "../../../src-renderer/state/route.svelte.ts";
import { typedDraft } from "../../../src-renderer/state/typed-draft.ts";
import { openConnection } from "../../helpers/fake-connection.ts";
import { memoryStorage } from "../../helpers/memory-storage.ts";
import { sampleMessage, sampleThread } from "../../helpers/sample-thread.ts";

const question = sampleMessage({ id: "m1", conversationId: "c1" });
const second = sampleMessage({ id: "m3", conversationId: "c1", parentId: "m2", content: "And of Italy?" });

/** A page in which a conversation is open, or none. */
async function openPage({ isOpen = true, generation = null as Generation | null } = {}) {
  async function* watch(): AsyncGenerator<ChatEvent> {
    yield {
      type: "thread",
      seq: 1,
      thread: sampleThread([question, second], { id: "c1" }),
      generation,
      switching: null,
    };
    await new Promise<never>(() => undefined);
  }
  const connection = await openConnection({ chat: { watch } });
  const drafts = new Drafts(new LocalStore(memoryStorage()));
  window.location.hash = "";
  const route = new Route(window);
  const settings = { current: settingsSchema.parse({}), update: () => Promise.resolve() };
  const chat = new Chat({ connection, problems: new Problems(), drafts, route, settings });
  if (isOpen) {
    route.open("c1");
    chat.show("c1");
    await vi.waitFor(() => {
      expect(chat.ready).not.toBeNull();
    });
  }
  const parts = { chat, connection, drafts, route };
  return { ...parts, draft: () => typedDraft(parts) };
}

describe("the message that is being typed", () => {
  test("is that of the open conversation", async () => {
    const { drafts, draft } = await openPage();
    expect(draft()).toBeNull();
    drafts.set("c1", "  ");
    expect(draft()).toBeNull();
    drafts.set("c1", "Hello");
    expect(draft()).toEqual({ place: "c1", conversationId: "c1", text: "Hello" });
  });

  test("is that of a conversation that is not begun, with what it will begin with", async () => {
    const { chat, drafts, draft } = await openPage({ isOpen: false });
    chat.newConversation = { systemPrompt: "Be brief." };
    drafts.set("new", "Hello");
    expect(draft()).toEqual({
      place: "new",
      conversationId: chat.newConversationId,
      newConversation: { modelId: null, systemPrompt: "Be brief." },
      text: "Hello",
    });
  });

  test("is the edit while that is typed into, and what stood in the field below when it is given up", async () => {
    const { chat, drafts, draft } = await openPage();
    drafts.set("c1", "Hello");
    chat.startEdit(second);
    expect(draft()).toEqual({ place: "edit-m3", conversationId: "c1", parentId: "m2", text: "And of Italy?" });
    drafts.set("c1", "Hello you");
    expect(draft()).toMatchObject({ place: "c1", text: "Hello you" });
    drafts.set("edit-m3", "And of Spain?");
    expect(draft()).toMatchObject({ place: "edit-m3", text: "And of Spain?" });
    chat.cancelEdit();
    expect(draft()).toMatchObject({ place: "c1", text: "Hello you" });
  });

  test("goes on from nothing where it is an edit of the first message", async () => {
    const { chat, draft } = await openPage();
    chat.startEdit(question);
    expect(draft()).toMatchObject({ parentId: null });
  });

  test("is none while an answer is written, or Reprise cannot be reached", async () => {
    const generation: Generation = { generationId: "g1", messageId: "m4", phase: { name: "queued" } };
    const writing = await openPage({ generation });
    writing.drafts.set("c1", "Hello");
    expect(writing.draft()).toBeNull();
    const { chat, drafts, route } = await openPage();
    drafts.set("c1", "Hello");
    expect(typedDraft({ chat, drafts, route, connection: new Connection(null) })).toBeNull();
  });
});
