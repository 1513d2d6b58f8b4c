import { describe, expect, test, vi } from "vitest";
import type { ComparisonEvent, ComparisonInput } from "../../../src-main/contract/comparison.ts";
import { settingsSchema } from "../../../src-main/contract/settings.ts";
import { Chat } from "../../../src-renderer/state/chat.svelte.ts";
import { Comparison } from "../../../src-renderer/state/comparison.svelte.ts";
import { Drafts } from "../../../src-renderer/state/drafts.svelte.ts";
import { LocalStore } from "../../../src-renderer/state/local-store.ts";
import { Problems } from "../../../src-renderer/state/problems.svelte.ts";
import { Route } from "../../../src-renderer/state/route.svelte.ts";
import { openConnection } from "../../helpers/fake-connection.ts";
import { memoryStorage } from "../../helpers/memory-storage.ts";
import { sampleReport } from "../../helpers/sample-report.ts";
import { sampleConversation } from "../../helpers/sample-thread.ts";

const written: readonly ComparisonEvent[] = [
  { type: "began", comparisonId: "k1" },
  { type: "delta", side: 0, text: "hello" },
  { type: "finished", side: 0, report: sampleReport() },
];

/** A page with a draft, in a conversation or before one has begun. */
async function openPage({ openId = "c1", fails = false }: { openId?: string | null; fails?: boolean } = {}) {
  const compare = vi.fn<(input: ComparisonInput) => AsyncGenerator<ComparisonEvent>>(async function* () {
    for (const event of written) yield await Promise.resolve(event);
  });
  const keepCompared = vi.fn<(input: object) => Promise<unknown>>(() =>
    fails ? Promise.reject(new Error("gone")) : Promise.resolve({}),
  );
  const create = vi.fn<({ id }: { id: string }) => Promise<unknown>>(({ id }) =>
    Promise.resolve(sampleConversation({ id })),
  );
  const connection = await openConnection({ models: { compare, keepCompared }, conversations: { create } });
  const problems = new Problems();
  const drafts = new Drafts(new LocalStore(memoryStorage()));
  window.location.hash = "";
  const route = new Route(window);
  if (openId !== null) route.open(openId);
  const settings = { current: settingsSchema.parse({}), update: () => Promise.resolve() };
  const chat = new Chat({ connection, problems, drafts, route, settings });
  const comparison = new Comparison({ connection, problems, drafts, route, chat });
  drafts.set(chat.place, "What now?");
  comparison.open();
  return { chat, comparison, compare, create, drafts, keepCompared, problems, route };
}

describe("asking both", () => {
  test("asks what is typed, which stays a draft", async () => {
    const { comparison, compare, drafts } = await openPage();
    await comparison.start(["a", "b"]);
    expect(compare.mock.calls[0]?.[0]).toEqual({ conversationId: "c1", text: "What now?", modelIds: ["a", "b"] });
    expect(comparison.run?.sides[0]).toMatchObject({ phase: "finished", text: "hello" });
    expect(comparison.isRunning).toBe(false);
    expect(drafts.get("c1")).toBe("What now?");
  });

  test("asks nothing where nothing is typed", async () => {
    const { comparison, compare, drafts } = await openPage();
    drafts.set("c1", "  ");
    await comparison.start(["a", "b"]);
    expect(compare).not.toHaveBeenCalled();
  });

  test("is for a conversation that has not begun with what it will begin with", async () => {
    const { comparison, compare, chat } = await openPage({ openId: null });
    chat.newConversation = { systemPrompt: "Be brief." };
    await comparison.start(["a", "b"]);
    expect(compare.mock.calls[0]?.[0]).toMatchObject({
      conversationId: chat.newConversationId,
      newConversation: { systemPrompt: "Be brief." },
    });
  });
});

describe("keeping an answer", () => {
  test("takes the draft with it and closes the view", async () => {
    const { comparison, drafts, keepCompared } = await openPage();
    await comparison.start(["a", "b"]);
    await comparison.keep(0);
    expect(keepCompared.mock.calls[0]?.[0]).toEqual({ comparisonId: "k1", side: 0 });
    expect(drafts.get("c1")).toBe("");
    expect(comparison.isOpen).toBe(false);
  });

  test("leaves what was typed after it was asked", async () => {
    const { comparison, drafts } = await openPage();
    await comparison.start(["a", "b"]);
    drafts.set("c1", "And then?");
    await comparison.keep(0);
    expect(drafts.get("c1")).toBe("And then?");
  });

  test("begins the conversation where it has not", async () => {
    const { comparison, chat, create, drafts, route } = await openPage({ openId: null });
    const id = chat.newConversationId;
    await comparison.start(["a", "b"]);
    await comparison.keep(0);
    expect(create.mock.calls[0]?.[0]).toMatchObject({ id });
    expect(route.conversationId).toBe(id);
    expect(drafts.get(id)).toBe("");
  });

  test("that fails leaves view and draft, and tells why", async () => {
    const { comparison, drafts, problems } = await openPage({ fails: true });
    await comparison.start(["a", "b"]);
    await comparison.keep(0);
    expect(comparison.isOpen).toBe(true);
    expect(drafts.get("c1")).toBe("What now?");
    expect(problems.list).toHaveLength(1);
  });
});

test("closing keeps nothing but what is typed", async () => {
  const { comparison, drafts } = await openPage();
  await comparison.start(["a", "b"]);
  comparison.close();
  expect(comparison.run).toBeNull();
  expect(drafts.get("c1")).toBe("What now?");
});
