import { describe, expect, test } from "vitest";
import {
  conversationSchema,
  conversationSummarySchema,
  defaultSampling,
} from "../../../src-main/contract/conversation.ts";
import { codedError } from "../../helpers/coded-error.ts";
import { addExchange, openTestStore } from "../../helpers/open-test-store.ts";
import { seedStore } from "../../helpers/seed-store.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

describe("a conversation", () => {
  test("is created with defaults where nothing was chosen", () => {
    const { conversations } = openTestStore();
    const created = conversations.create({});
    expect(created).toMatchObject({
      title: "",
      modelId: null,
      sampling: defaultSampling,
      systemPrompt: "",
      pinned: false,
    });
    expect(conversationSchema.parse({ ...created, generating: false })).toEqual({ ...created, generating: false });
  });

  test("reads back as it was created", () => {
    const { conversations } = openTestStore();
    const sampling = { ...defaultSampling, seed: 0xffff_ffff, stop: ["\n\n", "終"] };
    const created = conversations.create({
      title: "Größe 📏",
      sampling,
      systemPrompt: "Be brief.\u0000",
      pinned: true,
    });
    expect(conversations.get(created.id)).toEqual(created);
  });

  test("keeps what a patch does not name", () => {
    const { conversations } = openTestStore();
    const created = conversations.create({ title: "Before", folder: "Work", systemPrompt: "Be brief." });
    const updated = conversations.update(created.id, { title: "After", archived: true, folder: undefined });
    expect(updated).toEqual({ ...created, title: "After", archived: true });
    expect(conversations.get(created.id)).toEqual(updated);
  });

  test("that is not there is NOT_FOUND, whatever is asked", () => {
    const { conversations, messages } = openTestStore();
    const notFound = codedError("NOT_FOUND", { what: "conversation", id: "nothing" });
    expect(() => conversations.get("nothing")).toThrow(notFound);
    expect(conversations.find("nothing")).toBeNull();
    expect(() => conversations.update("nothing", {})).toThrow(notFound);
    expect(conversations.leftOut("nothing")).toBe(0);
    expect(() => {
      conversations.setLeftOut("nothing", 2);
    }).toThrow(notFound);
    expect(() => {
      conversations.delete("nothing");
    }).toThrow(notFound);
    expect(() => {
      conversations.setActiveLeaf("nothing", null);
    }).toThrow(notFound);
    expect(() => messages.activePath("nothing")).toThrow(notFound);
    expect(() => messages.addUserMessage({ conversationId: "nothing", parentId: null, content: "Hi" })).toThrow(
      notFound,
    );
  });

  test("takes a message of another conversation for none", () => {
    const store = openTestStore();
    const first = addExchange(store);
    const second = addExchange(store);
    expect(() => {
      store.conversations.setActiveLeaf(second.conversationId, first.answer.id);
    }).toThrow(codedError("NOT_FOUND", { what: "message", id: first.answer.id }));
  });
});

describe("the list", () => {
  test("begins with the conversation written in last", () => {
    const { conversations, messages } = openTestStore();
    const [first, second, third] = ["a", "b", "c"].map((title) => conversations.create({ title }).id);
    messages.addUserMessage({ conversationId: String(first), parentId: null, content: "Again" });
    expect(conversations.list().map(({ id }) => id)).toEqual([first, third, second]);
  });

  test("keeps its order when a conversation is renamed", () => {
    const { conversations } = openTestStore();
    const [first, second] = ["a", "b"].map((title) => conversations.create({ title }).id);
    conversations.update(String(first), { title: "renamed", pinned: true });
    expect(conversations.list().map(({ id }) => id)).toEqual([second, first]);
  });

  test("holds summaries and nothing more", () => {
    const { conversations } = openTestStore();
    conversations.create({ title: "One", pinned: true, systemPrompt: "Be brief." });
    const list = conversations.list().map((summary) => ({ ...summary, generating: false }));
    expect(list).toEqual(list.map((summary) => conversationSummarySchema.parse(summary)));
    expect(list).toMatchObject([{ title: "One", pinned: true, archived: false }]);
  });
});

describe("deleting", () => {
  test("takes messages and reports along, and nothing of another conversation", () => {
    const store = openTestStore();
    const gone = addExchange(store, { question: "Where is the key?" });
    const kept = addExchange(store, { question: "Where is the door?" });
    store.conversations.delete(gone.conversationId);
    expect(() => store.messages.get(gone.answer.id)).toThrow(codedError("NOT_FOUND"));
    expect(store.messages.activePath(kept.conversationId)).toHaveLength(2);
    expect(store.search("where").map((hit) => hit.conversationId)).toEqual([kept.conversationId]);
  });

  test("works for a thread longer than SQLite nests triggers", () => {
    const folder = temporaryFolder();
    const [id] = seedStore(folder, [2_500]);
    const { conversations } = openTestStore(folder);
    conversations.delete(String(id));
    expect(conversations.list()).toEqual([]);
  });
});
