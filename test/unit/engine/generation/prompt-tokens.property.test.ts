import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PromptMessage } from "../../../../src-main/contract/engine-contract.ts";
import { loadChatTemplate } from "../../../../src-main/engine/generation/chat-template.ts";
import { PromptTokens } from "../../../../src-main/engine/generation/prompt-tokens.ts";
import * as templates from "../../../helpers/chat-templates.ts";
import { GreedyTokenizer } from "../../../helpers/greedy-tokenizer.ts";
import { message } from "../../../helpers/prompt-message.ts";
import { wholePrompt } from "../../../helpers/whole-prompt.ts";

const control = ["<|im_start|>", "<|im_end|>", "<s>", "</s>", "<start_of_turn>", "<end_of_turn>", "<|eot_id|>"];
const tokenizer = new GreedyTokenizer({
  special: control,
  userDefined: ["<think>", "</think>"],
  bos: "<s>",
  eos: "</s>",
});

const anyText = fc
  .array(
    fc.constantFrom(
      ...control,
      ..."hello| world|the|a| |\n|\n\n|é|日|😀|<|/|think>|<think>|</think>|im_end|>|assistant\n|\ue000|### User:\n".split(
        "|",
      ),
      "\n\n### Assistant:\n",
      "[/INST]",
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(""));

interface Turn {
  readonly question: string;
  readonly answer: PromptMessage;
}

/** Turns whose answers have ids of their own: bytes, or what the tokenizer makes of the text, or none. */
function anyTurns(vocabulary: GreedyTokenizer): fc.Arbitrary<Turn[]> {
  const answer = fc.tuple(anyText, fc.constantFrom("bytes", "tokens", "none")).map(([text, kind]) => {
    const tokens = vocabulary.tokenize(text, { special: false });
    const ids = { bytes: [...Buffer.from(text)], tokens, none: null };
    return message("assistant", text, ids[kind]);
  });
  return fc.array(fc.record({ question: anyText, answer }), { minLength: 1, maxLength: 5 });
}
const anySystem = fc.option(anyText, { nil: null });

function promptAt(system: string | null, turns: readonly Turn[], count: number): PromptMessage[] {
  const before = turns.slice(0, count).flatMap(({ question, answer }) => [message("user", question), answer]);
  const next = turns[count]?.question ?? "and then?";
  return [...(system === null ? [] : [message("system", system)]), ...before, message("user", next)];
}

describe.each([
  ["turns", templates.chatMlTemplate],
  ["a default system prompt", templates.defaultSystemTemplate],
  ["headers", templates.headersTemplate],
  ["alternation", templates.alternatingTemplate],
  ["no system role", templates.noSystemTemplate],
  ["thoughts taken out", templates.thoughtsTemplate],
  ["the ChatML fallback", null],
  ["the headings fallback", "{{ broken"],
])("with %s", (name, source) => {
  const vocabulary = name === "the headings fallback" ? new GreedyTokenizer({ bos: "", special: [] }) : tokenizer;
  const template = loadChatTemplate({ source, tokenizer: vocabulary });

  test("the tokens spell what the template wrote", () => {
    const prompt = new PromptTokens(vocabulary, template);
    fc.assert(
      fc.property(anySystem, anyTurns(vocabulary), (system, turns) => {
        const { tokens, text } = prompt.build(promptAt(system, turns, turns.length));
        expect(vocabulary.textOf(tokens)).toBe(text);
      }),
      { numRuns: 300 },
    );
  });

  test("a turn whose text goes on has tokens that go on, with memory or without", () => {
    const running = new PromptTokens(vocabulary, template);
    fc.assert(
      fc.property(anySystem, anyTurns(vocabulary), (system, turns) => {
        for (const [index, { answer }] of turns.entries()) {
          const earlier = running.build(promptAt(system, turns, index));
          const later = new PromptTokens(vocabulary, template).build(promptAt(system, turns, index + 1));
          expect(wholePrompt(running.build(promptAt(system, turns, index + 1)))).toEqual(wholePrompt(later));
          if (!later.text.startsWith(earlier.text + answer.content)) continue;
          const expected = [...earlier.tokens, ...(answer.tokens ?? [])];
          expect(later.tokens.slice(0, expected.length)).toEqual(expected);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("only the template's own control tokens are control tokens", () => {
    const prompt = new PromptTokens(vocabulary, template);
    const countControl = (tokens: readonly number[]): number =>
      tokens.filter((token) => vocabulary.bytesOf(token).length === 0).length;
    const harmless = (text: string): string => (text.trim() === "" ? text : "a");
    fc.assert(
      fc.property(anySystem, anyTurns(vocabulary), (system, turns) => {
        const messages = promptAt(system, turns, turns.length);
        const plain = messages.map(({ role, content }) => message(role, harmless(content)));
        expect(countControl(prompt.build(messages).tokens)).toBe(countControl(prompt.build(plain).tokens));
      }),
      { numRuns: 300 },
    );
  });
});
