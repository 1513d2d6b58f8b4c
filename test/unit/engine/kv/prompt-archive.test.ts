import { expect, test } from "vitest";
import { PromptHistory } from "../../../../src-main/engine/kv/prompt-history.ts";
import { withAnswer } from "../../../../src-main/engine/kv/prompt-record.ts";
import { answer, record } from "../../../helpers/prompt-records.ts";
import { openTestBlockStore } from "../../../helpers/sample-blocks.ts";
import { changeKv, readKv } from "../../../helpers/kv-rows.ts";

const asked = (text: string) => withAnswer(record([{ role: "user", text }]), answer("yes", { thoughts: "hm" }));

function openHistory(path?: string, limits = {}) {
  const opened = openTestBlockStore({}, path);
  const { prompts } = opened.store;
  return { ...opened, prompts, history: new PromptHistory({ archive: prompts, ...limits }) };
}

const idsIn = (path: string) => readKv(path, "SELECT id FROM prompt ORDER BY id").flat();

test("what was asked is known again, to the last field, once it was written", () => {
  const { history, prompts, store, path } = openHistory();
  history.add("a", asked("one"), { from: 1, to: 6 });
  history.add("b", asked("two"), { from: 0, to: 7 });
  expect(openHistory(path).history.of("a")).toEqual([]);
  prompts.flush();
  const { history: again } = openHistory(path);
  expect(again.remembered("a")).toEqual(history.remembered("a"));
  expect(again.of("b")).toEqual([asked("two")]);
  expect(again.computedBefore(asked("one"))).toBe(6);
  expect(store.figures.writtenBytes).toBeGreaterThan(0);
});

test("the file is bounded as memory is", () => {
  const { history, prompts, path } = openHistory(undefined, { maxRecords: 2, maxTokens: 60 });
  for (const text of ["one", "two", "six"]) history.add("a", asked(text), { from: 0, to: 1 });
  prompts.flush();
  expect(idsIn(path)).toEqual([2, 3]);
  history.add("b", asked("a much longer question than those"), { from: 0, to: 1 });
  prompts.flush();
  expect(idsIn(path)).toEqual([4]);
  const smaller = openHistory(path, { maxTokens: 10 });
  smaller.history.add("c", asked("ten"), { from: 0, to: 1 });
  smaller.prompts.flush();
  expect(idsIn(path)).toEqual([5]);
});

test("deleted is deleted at once, written or not", () => {
  const { history, prompts, path } = openHistory();
  history.add("a", asked("one"), { from: 0, to: 1 });
  prompts.flush();
  history.add("a", asked("two"), { from: 0, to: 1 });
  history.forget("a");
  expect(idsIn(path)).toEqual([]);
  prompts.flush();
  expect(idsIn(path)).toEqual([]);
});

test("switched off, nothing is written, not even what waits", () => {
  const { history, prompts, path } = openHistory();
  history.add("a", asked("one"), { from: 0, to: 1 });
  prompts.isEnabled = false;
  history.add("a", asked("two"), { from: 0, to: 1 });
  prompts.flush();
  expect(idsIn(path)).toEqual([]);
  expect(history.of("a")).toHaveLength(2);
});

test.each([
  ["a token changed", "UPDATE prompt SET tokens = zeroblob(length(tokens))"],
  ["not whole tokens", "UPDATE prompt SET tokens = substr(tokens, 2)"],
  ["other facts", "UPDATE prompt SET facts = json_set(facts, '$.answerStart', 1)"],
])("a damaged row is left out and removed (%s)", (_, sql) => {
  const { history, prompts, path, store } = openHistory();
  history.add("a", asked("one"), { from: 0, to: 1 });
  history.add("a", asked("two"), { from: 0, to: 1 });
  prompts.flush();
  store[Symbol.dispose]();
  changeKv(path, `${sql} WHERE id = 1`);
  const again = openHistory(path);
  expect(again.history.of("a")).toEqual([asked("two")]);
  again.prompts.flush();
  expect(idsIn(path)).toEqual([2]);
});

test("where there is no file, nothing is kept and nothing fails", () => {
  const { history, prompts } = openHistory("/no/such/folder/kv.db");
  history.add("a", asked("one"), { from: 0, to: 1 });
  prompts.flush();
  history.forget("b");
  expect(history.of("a")).toHaveLength(1);
});
