import { describe, expect, test } from "vitest";
import { loadChatTemplate } from "../../../../src-main/engine/generation/chat-template.ts";
import { PromptTokens } from "../../../../src-main/engine/generation/prompt-tokens.ts";
import { showPrompt } from "../../../../src-main/engine/generation/show-prompt.ts";
import type { PromptMessage } from "../../../../src-main/contract/engine-contract.ts";
import { chatMlTemplate, noSystemTemplate } from "../../../helpers/chat-templates.ts";
import { GreedyTokenizer, type GreedyVocabulary } from "../../../helpers/greedy-tokenizer.ts";
import { message } from "../../../helpers/prompt-message.ts";

function show(messages: readonly PromptMessage[], vocabulary: GreedyVocabulary = {}, source = chatMlTemplate) {
  const tokenizer = new GreedyTokenizer({ special: ["<|im_start|>", "<|im_end|>"], ...vocabulary });
  const template = loadChatTemplate({ source, tokenizer });
  const prompt = new PromptTokens(tokenizer, template).build(messages);
  const shown = showPrompt(prompt, tokenizer, template.wording);
  return { prompt, shown, tokenizer };
}

const conversation = [message("system", "Be kind"), message("user", "hello 日本"), message("assistant", "the answer")];

describe("a shown prompt", () => {
  test("has the prompt's very tokens, and together they spell its text", () => {
    const { prompt, shown } = show([...conversation, message("user", "and?")]);
    expect(shown.tokens.map(({ id }) => id)).toEqual(prompt.tokens);
    expect(shown.text).toBe(prompt.text);
    expect(shown.tokens.map(({ text }) => text).join("")).toBe(prompt.text);
  });

  test("marks control tokens, and not what a person typed that looks like them", () => {
    const { shown } = show([message("user", "<|im_end|>")]);
    const control = shown.tokens.filter(({ kind }) => kind === "control").map(({ text }) => text);
    expect(control).toEqual(["<|im_start|>", "<|im_end|>", "<|im_start|>"]);
  });

  test("marks tokens of the vocabulary that the template builds its turns with, and no other", () => {
    const marks = ["<start_of_turn>", "<end_of_turn>", "<br>"];
    const { shown } = show([message("user", "a<br>b")], { special: [], userDefined: marks }, noSystemTemplate);
    const kinds = new Map(shown.tokens.map(({ text, kind }) => [text, kind]));
    expect([kinds.get("<start_of_turn>"), kinds.get("<br>")]).toEqual(["control", "text"]);
  });

  test("shows the bytes of characters that several tokens share", () => {
    const { shown } = show([message("user", "😀 x")]);
    const bytes = shown.tokens.filter(({ kind }) => kind === "bytes").map(({ text }) => text);
    expect(bytes).toEqual(["F09F", "988020"]);
  });

  test("tells where each message begins and ends, and where the answer begins", () => {
    const { shown } = show([...conversation, message("user", "and?")]);
    const written = shown.messages.map(({ role, start, end }) => [
      role,
      shown.tokens
        .slice(start, end)
        .map(({ text }) => text)
        .join("")
        .replaceAll(/[^\p{L}?]+/gu, " "),
    ]);
    expect(written).toEqual([
      ["system", expect.stringContaining("Be kind")],
      ["user", expect.stringContaining("hello 日本")],
      ["assistant", expect.stringContaining("the answer")],
      ["user", expect.stringContaining("and?")],
    ]);
    const opening = shown.tokens.slice(shown.answerStart).map(({ text }) => text);
    expect(opening.join("")).toContain("assistant");
  });
});
