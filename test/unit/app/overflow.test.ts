import { expect, test } from "vitest";
import { dropOldestTurns } from "../../../src-main/app/overflow.ts";
import type { PromptMessage } from "../../../src-main/contract/engine-contract.ts";

const system: PromptMessage = { role: "system", content: "s".repeat(10), tokens: null };

/** `count` turns of 100 characters each, then a question. */
function conversation(count: number): PromptMessage[] {
  const turns = Array.from({ length: count }, (_, index): PromptMessage[] => [
    { role: "user", content: `${index}`.padEnd(50, "u"), tokens: null },
    { role: "assistant", content: `${index}`.padEnd(50, "a"), tokens: null },
  ]);
  return [system, ...turns.flat(), { role: "user", content: "last", tokens: null }];
}

test("the oldest turns go, the system prompt and the question stay", () => {
  const prompt = conversation(10);
  const shorter = dropOldestTurns(prompt, { promptTokens: 1_000, contextTokens: 800 });
  // 1,000 tokens are to become 600: four tenths of the text.
  expect(shorter).toEqual({ messages: [system, ...prompt.slice(1 + 2 * 5)], droppedMessages: 10 });
});

test("the rest begins with a message of the user", () => {
  const shorter = dropOldestTurns(conversation(3), { promptTokens: 101, contextTokens: 100 });
  expect(shorter?.messages[1]?.role).toBe("user");
});

test("where it is only a little too long, one turn goes all the same", () => {
  const prompt = conversation(3);
  const shorter = dropOldestTurns(prompt, { promptTokens: 100, contextTokens: 134 });
  expect(shorter).toEqual({ messages: [system, ...prompt.slice(3)], droppedMessages: 2 });
});

test("where everything old is too little, only the question is left", () => {
  const prompt = conversation(3);
  const shorter = dropOldestTurns(prompt, { promptTokens: 100_000, contextTokens: 10 });
  expect(shorter).toEqual({ messages: [system, prompt.at(-1)], droppedMessages: 6 });
});

test("a question that is too long by itself cannot be shortened", () => {
  expect(dropOldestTurns(conversation(0), { promptTokens: 100, contextTokens: 10 })).toBeNull();
});

test("as long as it leaves room the prompt begins where it began before", () => {
  const prompt = conversation(10);
  // All of it has 1,000 tokens, without its first eight messages about 600.
  const overflow = { promptTokens: 1_000, contextTokens: 700 };
  expect(dropOldestTurns(prompt, overflow)?.droppedMessages).toBe(10);
  expect(dropOldestTurns(prompt, overflow, [8])?.droppedMessages).toBe(8);
  expect(dropOldestTurns(prompt, overflow, [6])?.droppedMessages).toBe(10);
  // Of several places the first that is enough.
  expect(dropOldestTurns(prompt, overflow, [6, 8, 12])?.droppedMessages).toBe(8);
});
