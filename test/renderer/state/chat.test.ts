import { ORPCError } from "@orpc/client";
import { describe, expect, test, vi } from "vitest";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import { settingsSchema } from "../../../src-main/contract/settings.ts";
import { Chat } from "../../../src-renderer/state/chat.svelte.ts";
import { Drafts } from "../../../src-renderer/state/drafts.svelte.ts";
import { LocalStore } from "../../../src-renderer/state/local-store.ts";
import { Problems } from "../../../src-renderer/state/problems.svelte.ts";
import { Route } from "../../../src-renderer/state/route.svelte.ts";
import { openConnection } from "../../helpers/fake-connection.ts";
import { memoryStorage } from "../../helpers/memory-storage.ts";
import { sampleConversation, sampleMessage } from "../../helpers/sample-thread.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";

type Send = AppClient["chat"]["send"];

async function chatWith(send: Send, openId: string | null = null, modelId: string | null = null) {
  const create = vi.fn<(patch: object) => Promise<unknown>>(() => Promise.resolve(sampleConversation({ id: "c9" })));
  const switchModel = vi.fn<(input: object) => Promise<unknown>>(() => Promise.resolve(sampleConversation()));
  const connection = await openConnection({ conversations: { create }, chat: { send, switchModel } });
  const problems = new Problems();
  const drafts = new Drafts(new LocalStore(memoryStorage()));
  window.location.hash = "";
  const route = new Route(window);
  if (openId !== null) route.open(openId);
  const settings = { current: settingsSchema.parse({ modelId }), update: vi.fn<(patch: object) => Promise<void>>() };
  return {
    chat: new Chat({ connection, problems, drafts, route, settings }),
    create,
    drafts,
    problems,
    route,
    settings,
    switchModel,
  };
}

const sent = () => Promise.resolve({ conversationId: "c9", userMessageId: "m1", messageId: "m2", generationId: "g1" });
const refused = () =>
  Promise.reject(new ORPCError("ALREADY_GENERATING", { message: "Still writing.", data: { conversationId: "c9" } }));

describe("sending", () => {
  test("begins a conversation with what was chosen for it, and opens it", async () => {
    const send = vi.fn<Send>(sent);
    const { chat, create, drafts, route } = await chatWith(send);
    chat.newConversation = { systemPrompt: "Be brief." };
    drafts.set("new", "Hello");
    const beforehand = chat.newConversationId;

    await chat.sendDraft();

    expect(create.mock.calls[0]?.[0]).toEqual({ id: beforehand, modelId: null, systemPrompt: "Be brief." });
    expect(chat.newConversationId).not.toBe(beforehand);
    expect(send.mock.calls[0]?.[0]).toEqual({ conversationId: "c9", text: "Hello" });
    expect(route.conversationId).toBe("c9");
    expect(drafts.get("c9")).toBe("");
    expect(drafts.get("new")).toBe("");
    expect(chat.newConversation).toEqual({});
  });

  test("that failed to begin a conversation begins one of another id the next time, for it may have begun", async () => {
    const { chat, create, drafts } = await chatWith(vi.fn<Send>(sent));
    drafts.set("new", "Hello");
    create.mockImplementationOnce(() => Promise.reject(new Error("gone")));
    await chat.sendDraft();
    await chat.sendDraft();
    const ids = create.mock.calls.map(([values]) => (values as { id: string }).id);
    expect(new Set(ids).size).toBe(2);
  });

  test("gives the text back and says why where it failed", async () => {
    const { chat, drafts, problems } = await chatWith(refused, "c9");
    drafts.set("c9", "Hello");

    await chat.sendDraft();

    expect(drafts.get("c9")).toBe("Hello");
    expect(problems.list).toMatchObject([{ error: { code: "ALREADY_GENERATING" } }]);
  });

  test("happens once, however often it is asked for", async () => {
    const send = vi.fn<Send>(sent);
    const { chat, create, drafts } = await chatWith(send);
    drafts.set("new", "Hello");

    await Promise.all([chat.sendDraft(), chat.sendDraft()]);

    expect(create).toHaveBeenCalledTimes(1);
    expect(send).toHaveBeenCalledTimes(1);
  });

  test("puts an edited message beside the one it replaces, and keeps the edit until it arrived", async () => {
    const send = vi.fn<Send>(refused);
    const { chat, drafts } = await chatWith(send, "c9");
    const message = sampleMessage({ id: "m3", parentId: "m2", conversationId: "c9", content: "Old" });
    chat.startEdit(message);
    expect(drafts.get("edit-m3")).toBe("Old");
    drafts.set("edit-m3", "New");

    await chat.sendEdit(message);
    expect(chat.editedMessageId).toBe("m3");
    expect(drafts.get("edit-m3")).toBe("New");

    send.mockImplementation(sent);
    await chat.sendEdit(message);
    expect(send.mock.calls[1]?.[0]).toEqual({ conversationId: "c9", text: "New", parentId: "m2" });
    expect(chat.editedMessageId).toBeNull();
    expect(drafts.get("edit-m3")).toBe("");
  });
});

describe("the model", () => {
  const file = sampleModelFile({ id: "big", path: "/models/big.gguf", name: "Big" });

  test("is chosen for the open conversation alone", async () => {
    const { chat, settings, switchModel } = await chatWith(sent, "c9");
    await chat.chooseModel(file);
    expect(switchModel.mock.calls[0]?.[0]).toEqual({ conversationId: "c9", modelId: "big" });
    expect(settings.update).not.toHaveBeenCalled();
  });

  test("is chosen for all new conversations before one has begun", async () => {
    const { chat, settings, switchModel } = await chatWith(sent);
    await chat.chooseModel(file);
    expect(settings.update).toHaveBeenCalledWith({ modelId: "big" });
    await chat.chooseModel({ ...file, id: "small", isDefault: true });
    expect(settings.update).toHaveBeenLastCalledWith({ modelId: null });
    expect(switchModel).not.toHaveBeenCalled();
  });

  test("stays with the conversation that began with it", async () => {
    const { chat, create, drafts } = await chatWith(sent, null, "big");
    drafts.set("new", "Hello");
    await chat.sendDraft();
    expect(create.mock.calls[0]?.[0]).toMatchObject({ modelId: "big" });
  });
});
