import { describe, expect, test } from "vitest";
import type { ShownPrompt } from "../../../src-main/contract/prompt-preview.ts";
import { lineRange, promptSections, visibleText } from "../../../src-renderer/models/prompt-sections.ts";
import { failureText, templateTrouble } from "../../../src-renderer/models/template-text.ts";

const prompt: ShownPrompt = {
  text: "<s>one two",
  tokens: ["<s>", "one", " two", "A:"].map((text, id) => ({ id, text, kind: "text" as const })),
  messages: [
    { role: "system", start: 1, end: 2 },
    { role: "user", start: 2, end: 3 },
  ],
  answerStart: 3,
};

const written = (shown: ShownPrompt) =>
  promptSections(shown).map(({ part, tokens }) => [part, tokens.map(({ text }) => text).join("")]);

describe("the sections of a prompt", () => {
  test("are its messages, what stands before them, and the opening of the answer", () => {
    expect(written(prompt)).toEqual([
      ["start", "<s>"],
      ["system", "one"],
      ["user", " two"],
      ["answer", "A:"],
    ]);
  });

  test("are only those that have tokens", () => {
    const alone = { ...prompt, messages: [{ role: "user" as const, start: 0, end: 4 }], answerStart: 4 };
    expect(written(alone)).toEqual([["user", "<s>one twoA:"]]);
  });
});

test("blanks that would not be seen have a mark", () => {
  expect(visibleText("a\n\tb\r")).toBe("a↵\n⇥\tb␍");
});

test("a line is found by its number, and the last one where there are fewer", () => {
  const text = "one\ntwo\n\nfour";
  const lines = [1, 2, 3, 4, 9].map((line) => {
    const { start, end } = lineRange(text, line);
    return text.slice(start, end);
  });
  expect(lines).toEqual(["one", "two", "", "four", "four"]);
});

describe("what is said of a template", () => {
  const problem = { from: "model", reason: "it took too many steps", line: null } as const;

  test("is nothing where it is used as it was asked for", () => {
    expect(templateTrouble({ template: "model" })).toBeNull();
    expect(templateTrouble({ template: "override", templateProblems: [] })).toBeNull();
  });

  test("is why it is not used, and what is used instead", () => {
    expect(
      templateTrouble({ template: "model", templateProblems: [{ from: "override", reason: "unexpected }", line: 3 }] }),
    ).toBe(
      "The chat template that was set for this model does not work (Line 3: unexpected }). Reprise uses the one in the model’s file instead.",
    );
    const inUse = { template: "fallback", templateProblems: [problem], templateFormat: "ChatML" } as const;
    expect(templateTrouble({ ...inUse, templateProblems: [problem] })).toContain("in the ChatML format instead.");
    expect(templateTrouble({ ...inUse, templateProblems: [] })).toMatch(/^This model’s file has no chat template\./);
  });

  test("has its line where there is one", () => {
    expect(failureText({ reason: "unexpected }", line: 3 })).toBe("Line 3: unexpected }");
    expect(failureText({ reason: "it took too long", line: null })).toContain("it took too long");
  });
});
