import { describe, expect, test } from "vitest";
import { contentHash, messageSpans } from "../../../../src-main/engine/generation/message-spans.ts";

const letters = (position: number) => position;

test("a message begins where the one before it ends, and the answer behind the last", () => {
  const text = "[sys]|[ask]|";
  const messages = [
    { role: "system", content: "sys", end: 4 },
    { role: "user", content: "ask", end: 10 },
  ] as const;
  expect(messageSpans(text, messages, letters)).toEqual({
    messages: [
      { role: "system", start: 0, contentHash: contentHash("sys"), hasThoughts: false },
      { role: "user", start: 4, contentHash: contentHash("ask"), hasThoughts: false },
    ],
    answerStart: 10,
  });
});

describe("thoughts of an answer", () => {
  const content = "<think>hm</think>\nyes";

  test("are no part of what the person sees", () => {
    expect(contentHash(content)).toBe(contentHash("yes"));
    expect(contentHash(content)).not.toBe(contentHash("no"));
  });

  test("are noted where the prompt writes them out", () => {
    const spans = (text: string) => messageSpans(text, [{ role: "assistant", content, end: text.length }], letters);
    expect(spans(content).messages[0]?.hasThoughts).toBe(true);
    expect(spans("yes").messages[0]?.hasThoughts).toBe(false);
  });
});
