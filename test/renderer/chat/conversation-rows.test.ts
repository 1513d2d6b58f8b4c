import { expect, test } from "vitest";
import { conversationRows, neighbour } from "../../../src-renderer/chat/conversation-rows.ts";
import { sampleConversation } from "../../helpers/sample-thread.ts";

const [a, b, c] = ["a", "b", "c"].map((id) => sampleConversation({ id }));
const rows = conversationRows([
  { name: { kind: "today" }, conversations: a === undefined ? [] : [a] },
  { name: { kind: "month", time: 5 }, conversations: b === undefined || c === undefined ? [] : [b, c] },
]);

test("each group has its heading before its conversations", () => {
  expect(rows.map(({ key }) => key)).toEqual(["today", "a", "month-5", "b", "c"]);
});

test("the neighbour of a conversation is a conversation, over a heading too", () => {
  expect(neighbour(rows, 1, 1)).toBe(3);
  expect(neighbour(rows, 3, -1)).toBe(1);
  expect(neighbour(rows, 1, -1)).toBeNull();
  expect(neighbour(rows, 4, 1)).toBeNull();
});
