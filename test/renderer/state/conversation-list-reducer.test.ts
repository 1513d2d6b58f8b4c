import { expect, test } from "vitest";
import { reduceConversationList } from "../../../src-renderer/state/conversation-list-reducer.ts";
import { sampleConversation } from "../../helpers/sample-thread.ts";

const conversation = (id: string, updatedAt: number) => sampleConversation({ id, title: id, updatedAt });
const [a, b, c] = [conversation("a", 1), conversation("b", 2), conversation("c", 3)];
const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).join("");

test("the list begins with the most recently used", () => {
  expect(ids(reduceConversationList([], { type: "all", conversations: [a, c, b] }))).toBe("cba");
});

test("one that is used comes first, a new one too", () => {
  expect(ids(reduceConversationList([c, b, a], { type: "changed", conversation: conversation("a", 9) }))).toBe("acb");
  expect(ids(reduceConversationList([b, a], { type: "changed", conversation: c }))).toBe("cba");
});

test("one that was only renamed stays where it is", () => {
  const list = reduceConversationList([c, b, a], { type: "changed", conversation: { ...b, title: "New" } });
  expect(list.map(({ title }) => title)).toEqual(["c", "New", "a"]);
});

test("a deleted one is gone", () => {
  expect(ids(reduceConversationList([c, b, a], { type: "deleted", conversationId: "b" }))).toBe("ca");
});
