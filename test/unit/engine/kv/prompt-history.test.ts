import { expect, test } from "vitest";
import { PromptHistory } from "../../../../src-main/engine/kv/prompt-history.ts";
import { record } from "../../../helpers/prompt-records.ts";

const asked = (text: string, overrides = {}) => record([{ role: "user", text }], {}, overrides);
const all = ({ tokens }: { readonly tokens: readonly number[] }) => ({ from: 0, to: tokens.length });

test("prompts are remembered by conversation, oldest first", () => {
  const history = new PromptHistory();
  const [one, two] = [asked("one"), asked("two")];
  history.add("a", one, all(one));
  history.add("a", two, all(two));
  expect(history.of("a")).toEqual([one, two]);
  expect(history.of("b")).toEqual([]);
  history.forget("a");
  expect(history.of("a")).toEqual([]);
});

test("what was computed counts, whoever asked, and only as far as it was", () => {
  const history = new PromptHistory();
  const long = asked("a long question");
  history.add("a", long, { from: 0, to: 6 });
  expect(history.computedBefore(long)).toBe(6);
  history.add("b", asked("a long answer"), { from: 0, to: 100 });
  expect(history.computedBefore(long)).toBe(8);
});

test("another model's tokens are no beginning of these", () => {
  const history = new PromptHistory();
  const question = asked("a question");
  history.add("a", asked("a question", { modelFingerprint: "other" }), { from: 0, to: 100 });
  expect(history.computedBefore(question)).toBe(0);
});

test("it is bounded: the conversation longest untouched goes first, and old prompts of one", () => {
  const history = new PromptHistory({ maxTokens: 40, maxRecords: 2 });
  for (const id of ["a", "b", "c"]) history.add(id, asked("ten letters"), { from: 0, to: 10 });
  expect(history.of("a")).toEqual([]);
  expect(history.of("c")).toHaveLength(1);
  for (const text of ["x", "y", "z"]) history.add("d", asked(text), { from: 0, to: 1 });
  expect(history.of("d")).toHaveLength(2);
});
