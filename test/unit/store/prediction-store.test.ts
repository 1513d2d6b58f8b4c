import { expect, test } from "vitest";
import { addExchange, openTestStore } from "../../helpers/open-test-store.ts";

test("what a level says of an answer is kept, over a restart, for that level alone", () => {
  const store = openTestStore();
  const { conversationId, answer } = addExchange(store);
  store.predictions.keep({ messageId: answer.id, level: "fine", chain: "c1", tokens: [1, 70_000] });
  store.close();
  const { predictions } = openTestStore(store.folder);
  expect(predictions.of(conversationId, "fine")).toEqual([{ messageId: answer.id, chain: "c1", tokens: [1, 70_000] }]);
  expect(predictions.of(conversationId, "coarse")).toEqual([]);
});

test("another chain takes the place of the one before", () => {
  const store = openTestStore();
  const { conversationId, answer } = addExchange(store);
  for (const chain of ["c1", "c2"]) store.predictions.keep({ messageId: answer.id, level: "fine", chain, tokens: [1] });
  expect(store.predictions.of(conversationId, "fine")).toEqual([{ messageId: answer.id, chain: "c2", tokens: [1] }]);
});

test("it goes with the conversation, and of an answer that is gone nothing is kept", () => {
  const store = openTestStore();
  const { conversationId, answer } = addExchange(store);
  const said = { messageId: answer.id, level: "fine", chain: "c1", tokens: [1] };
  store.predictions.keep(said);
  store.conversations.delete(conversationId);
  store.predictions.keep(said);
  expect(store.predictions.of(conversationId, "fine")).toEqual([]);
});
