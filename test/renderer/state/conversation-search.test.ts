import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { SearchHit } from "../../../src-main/contract/conversation.ts";
import { ConversationSearch } from "../../../src-renderer/state/conversation-search.svelte.ts";
import { openConnection } from "../../helpers/fake-connection.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const hit = (conversationId: string): SearchHit => ({ conversationId, messageId: "m", snippet: "… words …" });

/** Main, which finds one conversation that is named like what was searched for. */
async function openSearch() {
  const asked: string[] = [];
  const search = ({ text }: { text: string }) => {
    asked.push(text);
    return text === "broken" ? Promise.reject(new Error("gone")) : Promise.resolve([hit(text)]);
  };
  return { asked, search: new ConversationSearch(await openConnection({ conversations: { search } })) };
}

test("main is asked once, when the typing pauses", async () => {
  const { asked, search } = await openSearch();
  for (const query of ["l", "li", "light"]) search.query = query;
  await vi.runAllTimersAsync();
  expect(asked).toEqual(["light"]);
  expect(search.hitIn("light")).toEqual(hit("light"));
});

test("an emptied field forgets what was found, and asks nothing", async () => {
  const { asked, search } = await openSearch();
  search.query = "light";
  await vi.runAllTimersAsync();
  search.query = " ";
  await vi.runAllTimersAsync();
  expect(search.hitIn("light")).toBeNull();
  expect(asked).toEqual(["light"]);
});

test("a search that fails leaves the titles alone", async () => {
  const { search } = await openSearch();
  search.query = "broken";
  await vi.runAllTimersAsync();
  expect(search.hitIn("broken")).toBeNull();
});
