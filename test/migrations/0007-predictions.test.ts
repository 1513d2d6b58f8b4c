import { expect, test } from "vitest";
import { addExchange, openTestStore } from "../helpers/open-test-store.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { createVersion1Database } from "../helpers/version-1-database.ts";

test("an older database has room for what levels say of answers", () => {
  const folder = temporaryFolder();
  createVersion1Database(folder);
  const store = openTestStore(folder);
  const { conversationId, answer } = addExchange(store);
  store.predictions.keep({ messageId: answer.id, level: "fine", chain: "c", tokens: [1, 2] });
  expect(store.predictions.of(conversationId, "fine")).toEqual([{ messageId: answer.id, chain: "c", tokens: [1, 2] }]);
});
