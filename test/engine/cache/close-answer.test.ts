/** What is computed behind an answer before anybody has asked on, with a loaded model and no engine around it. */
import { afterAll, describe, expect, test } from "vitest";
import { closeAnswer } from "../../../src-main/engine/close-answer.ts";
import { closeLlama } from "../../../src-main/engine/llama/load-llama.ts";
import type { ModelSession } from "../../../src-main/engine/model-session.ts";
import { inPlaceAfter, longText } from "../../helpers/cached-chat.ts";
import { answer, openSession } from "../../helpers/open-session.ts";
import { sharedLlama } from "../../helpers/open-tiny-model.ts";
import { message } from "../../helpers/prompt-message.ts";
import type { TinyModelOptions } from "../../helpers/tiny-gguf.ts";

afterAll(async () => {
  await closeLlama(await sharedLlama());
});

async function answered(session: ModelSession, question: string) {
  const asked = [message("user", question)];
  const { text, done } = await answer(session, asked);
  return { done, messages: [...asked, message("assistant", text, done.answerTokens)] };
}

async function close(session: ModelSession, messages: ReturnType<typeof message>[]): Promise<void> {
  await closeAnswer(session, { conversationId: "one", messages });
}

test("the next turn computes its message and what opens the answer, and answers the same", async () => {
  const question = longText(300);
  await using plain = await openSession();
  await using ahead = await openSession();
  const next = [];
  for (const session of [plain, ahead]) {
    const { done, messages } = await answered(session, question);
    if (session === ahead) {
      await close(session, messages);
      expect(session.cache.cells.length).toBe(inPlaceAfter(done));
    }
    next.push(await answer(session, [...messages, message("user", "and then?")]));
  }
  const [withoutClosing, withClosing] = next;
  expect(withClosing?.text).toBe(withoutClosing?.text);
  expect(withClosing?.done.report.prefilled).toBe((withoutClosing?.done.report.prefilled ?? 0) - 6);
  expect(withClosing?.done.report).toMatchObject({ divergence: { kind: "continues" }, shortfall: { kind: "none" } });
});

test("another answer to the same question is the same as without", async () => {
  await using session = await openSession();
  const { messages } = await answered(session, longText(300));
  await close(session, messages);
  const again = await answer(session, messages.slice(0, 1));
  expect(again.text).toBe(messages[1]?.content);
  expect(again.done.report.prefilled).toBe(1);
});

test("it is stored with the answer", async () => {
  await using session = await openSession();
  const { messages } = await answered(session, longText(300));
  await close(session, messages);
  while (await session.cache.saveStep());
  const { tokens } = session.cache.cells;
  expect(session.cache.parts.tiers.storedTokens(tokens)).toBe(tokens.length);
});

/** Thoughts stay in the last answer of a prompt, and are taken out of those before. */
const thinkingTemplate =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n" +
  "{% if m.role == 'assistant' %}{{ m.content.split('</think>') | last }}" +
  "{% else %}{{ m.content }}{% endif %}<|im_end|>\n{% endfor %}<|im_start|>assistant\n";

const wordyTemplate =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n" +
  `{% if m.role == 'user' and not loop.first %}${longText(90)} {% endif %}{{ m.content }}<|im_end|>\n{% endfor %}` +
  "<|im_start|>assistant\n";

describe("nothing is done", () => {
  const inPlace = async (model: TinyModelOptions, question = longText(300), said?: string) => {
    await using session = await openSession(model);
    const { messages } = await answered(session, question);
    const { length } = session.cache.cells;
    const last = said === undefined ? messages[1] : message("assistant", said);
    await close(session, [...messages.slice(0, 1), ...(last === undefined ? [] : [last])]);
    return [length, session.cache.cells.length];
  };

  test.each([
    ["where the model cannot be taken back to the answer's end", { variant: "recurrent" } as const],
    ["where the template writes a lot before a message", { chatTemplate: wordyTemplate }],
  ])("%s", async (_, model) => {
    const [before, after] = await inPlace(model);
    expect(after).toBe(before);
  });

  test("where the template will write the answer in another way", async () => {
    const [before, after] = await inPlace({ chatTemplate: thinkingTemplate }, longText(300), "<think>hm</think>well");
    expect(after).toBe(before);
  });

  test("where the context would have to grow for it", async () => {
    // 1,024 tokens, of which an answer's 64 must be left.
    const [before = 0, after] = await inPlace({}, longText(945));
    expect(before).toBeGreaterThan(1_024 - 64 - 6);
    expect(after).toBe(before);
  });
});
