import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { conversationQueries } from "../../../src-main/store/conversation-store.ts";
import { messageQueries } from "../../../src-main/store/message-queries.ts";
import { openTestStore } from "../../helpers/open-test-store.ts";

function queryPlan(sql: string): string[] {
  const { folder } = openTestStore();
  const database = new Database(join(folder, "reprise.db"), { readonly: true });
  onTestFinished(() => {
    database.close();
  });
  const parameters = sql.includes("@") ? [{ conversationId: "c", parentId: "p" }] : sql.includes("?") ? ["id"] : [];
  const steps = database.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters);
  return steps.map((step) => step.detail);
}

test("the list comes in order from its index", () => {
  expect(queryPlan(conversationQueries.list)).toEqual(["SCAN conversation USING INDEX conversation_by_use"]);
});

test("the list's index is the only thing that is read from end to end, whatever is asked", () => {
  const plans = [...Object.values(messageQueries), conversationQueries.get].flatMap(queryPlan);
  expect(plans.filter((step) => /^SCAN (?!path|subtree)/.test(step))).toEqual([]);
});

test("siblings and newest leaves are read from the index alone", () => {
  const covering = expect.stringContaining("USING COVERING INDEX message_by_parent") as string;
  expect(queryPlan(messageQueries.siblings)).toEqual([covering]);
  expect(queryPlan(messageQueries.families)).toEqual([covering]);
  expect(queryPlan(messageQueries.newestLeaf)).toContainEqual(covering);
});

test("messages left streaming are found without reading the others", () => {
  const plan = queryPlan("UPDATE message SET status = 'stopped' WHERE status = 'streaming'");
  expect(plan).toContainEqual(expect.stringContaining("message_streaming"));
});
