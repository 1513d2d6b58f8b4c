import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { divergenceOf } from "../../../../src-main/engine/kv/divergence.ts";
import { withAnswer, type PromptRecord } from "../../../../src-main/engine/kv/prompt-record.ts";
import { answer, record, textOf, type TestMessage } from "../../../helpers/prompt-records.ts";

const system: TestMessage = { role: "system", text: "be kind" };
const user = (text: string): TestMessage => ({ role: "user", text });
const assistant = (text: string): TestMessage => ({ role: "assistant", text });

const between = (previous: PromptRecord | null, prompt: PromptRecord) => divergenceOf(previous, prompt, { textOf });
const kind = (previous: PromptRecord | null, prompt: PromptRecord) => between(previous, prompt).kind;

const question = [system, user("hello")];
const answered = withAnswer(record(question), answer("good day"));
const longer = [...question, assistant("good day"), user("and now?")];
const longerAnswered = withAnswer(record(longer), answer("we part"));

describe("what changed", () => {
  test("first-turn: nothing came before", () => {
    expect(between(null, record(question))).toMatchObject({
      kind: "first-turn",
      tokenIndex: 0,
      before: [],
      replaced: [],
    });
  });

  test("continues: the whole earlier prompt and its answer are still there", () => {
    expect(between(answered, record(longer))).toMatchObject({ kind: "continues", tokenIndex: answered.tokens.length });
  });

  test("continues: also after an answer that was stopped, as far as it came", () => {
    const stopped = withAnswer(record(question), answer("good"));
    expect(kind(stopped, record([...question, assistant("good"), user("go on")]))).toBe("continues");
  });

  test("regenerated: the same prompt once more", () => {
    const again = record(question);
    expect(between(answered, again)).toMatchObject({ kind: "regenerated", tokenIndex: again.tokens.length, after: [] });
  });

  test("regenerated: an earlier answer of a longer conversation", () => {
    expect(kind(longerAnswered, record(question))).toBe("regenerated");
  });

  test("branch: another question in the last one's place", () => {
    expect(kind(longerAnswered, record([...longer.slice(0, 3), user("and then?")]))).toBe("branch");
  });

  test("branch: another question earlier on", () => {
    expect(kind(longerAnswered, record([system, user("hi")]))).toBe("branch");
  });

  test("branch: the conversation without its last messages, answered where nobody answered before", () => {
    const twice = withAnswer(record([system, user("a"), user("b")]), answer("c"));
    expect(kind(twice, record([system, user("a")]))).toBe("branch");
  });

  test("history-edited: an answer was rewritten", () => {
    expect(kind(answered, record([...question, assistant("good evening"), user("and now?")]))).toBe("history-edited");
  });

  test("history-edited: a question was rewritten and what follows kept", () => {
    const edited = [system, user("hullo"), ...longer.slice(2), assistant("we part"), user("bye")];
    expect(kind(longerAnswered, record(edited))).toBe("history-edited");
  });

  test("system-prompt-changed", () => {
    const changed = record([{ ...system, text: "be rude" }, ...longer.slice(1)]);
    expect(kind(longerAnswered, changed)).toBe("system-prompt-changed");
    expect(kind(longerAnswered, record(longer.slice(1)))).toBe("system-prompt-changed");
  });

  test("tools-changed", () => {
    const before = withAnswer(record(question, { tools: "clock;" }), answer("good day"));
    expect(kind(before, record(longer, { tools: "calculator;" }))).toBe("tools-changed");
    expect(kind(before, record(longer))).toBe("tools-changed");
  });

  test("template-changed: another template", () => {
    expect(kind(answered, record(longer, { id: "other", preamble: "* " }))).toBe("template-changed");
  });

  test("template-changed: the same template writes another date before the messages", () => {
    const monday = withAnswer(record(question, { preamble: "monday " }), answer("good day"));
    expect(kind(monday, record(longer, { preamble: "tuesday " }))).toBe("template-changed");
  });

  test("template-changed: it opens the answer differently", () => {
    const before = withAnswer(record(question, { opening: "think" }), answer("good day"));
    expect(kind(before, record(question, { opening: "quick" }))).toBe("template-changed");
  });

  test("template-changed: it takes blanks out that the model wrote", () => {
    const before = withAnswer(record(question), answer("good day  "));
    expect(kind(before, record([...question, assistant("good day  "), user("?")], { trims: true }))).toBe(
      "template-changed",
    );
  });

  test("thinking-stripped: the answer is the same, its thoughts are gone", () => {
    const thoughtful = withAnswer(record(question), answer("good day", { thoughts: "be polite" }));
    expect(kind(thoughtful, record(longer))).toBe("thinking-stripped");
  });

  test("history-edited: thoughts are gone, and the answer is another one too", () => {
    const thoughtful = withAnswer(record(question), answer("good day", { thoughts: "be polite" }));
    expect(kind(thoughtful, record([...question, assistant("good evening"), user("?")]))).toBe("history-edited");
  });

  test("retokenized: the answer's text came back in other tokens", () => {
    const pairwise = withAnswer(record(question, { pairs: true }), answer("good day", { pairs: false }));
    expect(kind(pairwise, record(longer, { pairs: true }))).toBe("retokenized");
  });

  test("retokenized: a question's text came back in other tokens", () => {
    expect(kind(withAnswer(record(longer), answer("bye")), record(longer, { pairs: true }))).toBe("retokenized");
  });

  test("overflow: the oldest messages are left out", () => {
    const shortened = record(
      [system, ...longer.slice(3), assistant("we part"), user("bye")],
      {},
      { droppedMessages: 2 },
    );
    expect(kind(longerAnswered, shortened)).toBe("overflow");
  });

  test("model-switched: other weights, whatever the tokens", () => {
    const switched = record(longer, {}, { modelFingerprint: "other", settingsFingerprint: "other" });
    expect(between(answered, switched)).toMatchObject({
      kind: "model-switched",
      tokenIndex: 0,
      before: [],
      replaced: [],
    });
  });

  test("settings-changed: the same weights make other cells", () => {
    const changed = record(longer, {}, { settingsFingerprint: "other" });
    expect(between(answered, changed)).toMatchObject({
      kind: "settings-changed",
      tokenIndex: 0,
      replaced: answered.tokens.slice(0, 8),
    });
  });
});

test("a few tokens on either side show where it is", () => {
  const { tokenIndex, before, after, replaced } = between(
    longerAnswered,
    record([...longer.slice(0, 3), user("and when exactly?")]),
  );
  expect(tokenIndex).toBe(record(longer).tokens.length - "now?".length - 2);
  expect(textOf(before)).toMatch(/and $/);
  expect([textOf(after), textOf(replaced).slice(0, 4)]).toEqual(["when exa", "now?"]);
});

const word = fc.stringMatching(/^[a-z]{1,6}$/);
const turns = fc.array(fc.record({ question: word, reply: word }), { minLength: 1, maxLength: 4 });

test("whatever two prompts are, the index is their first difference, and the shown tokens lie around it", () => {
  const anyRecord = fc.tuple(fc.option(word), turns, fc.boolean(), fc.boolean()).map(([rules, list, thinks, pairs]) => {
    const messages = list.flatMap(({ question: asked, reply }): TestMessage[] => [
      user(asked),
      { role: "assistant", text: reply, ...(thinks ? { thoughts: reply } : {}) },
    ]);
    const prompt = record(
      [...(rules === null ? [] : [{ role: "system" as const, text: rules }]), ...messages.slice(0, -1)],
      {
        pairs,
      },
    );
    return { prompt, answered: withAnswer(prompt, answer(list.at(-1)?.reply ?? "", { pairs })) };
  });
  fc.assert(
    fc.property(anyRecord, anyRecord, ({ answered: previous }, { prompt }) => {
      const { kind: found, tokenIndex, before, after, replaced } = between(previous, prompt);
      expect(prompt.tokens.slice(0, tokenIndex)).toEqual(previous.tokens.slice(0, tokenIndex));
      expect([...before, ...after]).toEqual(prompt.tokens.slice(Math.max(0, tokenIndex - 8), tokenIndex + 8));
      expect(replaced).toEqual(previous.tokens.slice(tokenIndex, tokenIndex + 8));
      if (after.length > 0 && replaced.length > 0) expect(after[0]).not.toBe(replaced[0]);
      expect(found === "regenerated").toBe(tokenIndex === prompt.tokens.length);
      expect(found === "continues").toBe(after.length > 0 && replaced.length === 0);
    }),
    { numRuns: 500 },
  );
});

test("whatever the conversation, each change of it is told apart", () => {
  fc.assert(
    fc.property(turns, word, fc.nat(), (list, other, pick) => {
      const history = list.flatMap(({ question: asked, reply }) => [user(asked), assistant(reply)]);
      const before = withAnswer(record([system, ...history.slice(0, -1)]), answer(list.at(-1)?.reply ?? ""));
      const next = [system, ...history, user(other)];
      const position = 1 + (pick % history.length);
      const edited = next.with(position, { ...(next[position] ?? system), text: `!${next[position]?.text ?? ""}` });
      expect(kind(before, record(next))).toBe("continues");
      expect(kind(before, record(edited))).toBe("history-edited");
      expect(kind(before, record(edited.slice(0, position % 2 === 1 ? position + 1 : position)))).toBe(
        position % 2 === 1 ? "branch" : "regenerated",
      );
      expect(kind(before, record(next.with(0, { ...system, text: `${other} only` })))).toBe("system-prompt-changed");
    }),
    { numRuns: 300 },
  );
});
