import { expect, test } from "vitest";
import { withoutEmptyAnswers } from "../../../src-main/app/prompt.ts";
import type { PromptMessage } from "../../../src-main/contract/engine-contract.ts";

const user = (content: string): PromptMessage => ({ role: "user", content, tokens: null });
const assistant = (content: string): PromptMessage => ({ role: "assistant", content, tokens: [1] });
const system: PromptMessage = { role: "system", content: "Be brief.", tokens: null };

test("an ordinary prompt stays as it is", () => {
  const prompt = [system, user("a"), assistant("b"), user("c")];
  expect(withoutEmptyAnswers(prompt)).toEqual(prompt);
});

test("a question whose answer was stopped before its first word is asked together with the next", () => {
  expect(withoutEmptyAnswers([system, user("a"), assistant(""), user("b"), assistant(""), user("c")])).toEqual([
    system,
    user("a\n\nb\n\nc"),
  ]);
});
