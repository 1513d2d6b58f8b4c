import { expect, test } from "vitest";
import { addedText } from "../../../src-main/headless/answer-text.ts";
import { sampleMessage, sampleThread } from "../../helpers/sample-thread.ts";

const answer = sampleMessage({ id: "m2", role: "assistant", content: "Paris." });
const thread = {
  type: "thread",
  seq: 0,
  thread: sampleThread([sampleMessage(), answer]),
  generation: null,
  switching: null,
} as const;

test("a delta adds its text, one of another answer nothing", () => {
  const delta = { type: "delta", seq: 1, generationId: "g", messageId: "m2", text: "ris" } as const;
  expect(addedText(delta, "m2", 2)).toBe("ris");
  expect(addedText(delta, "m9", 2)).toBe("");
});

test("a thread adds what a reader that fell behind has missed, and so does a new end of it", () => {
  const { conversation, messages } = thread.thread;
  const generation = { generationId: "g", messageId: "m2", phase: { name: "queued" } } as const;
  const path = { type: "path", seq: 1, conversation, afterMessageId: null, messages, generation } as const;
  for (const event of [thread, path]) {
    expect(addedText(event, "m2", 2)).toBe("ris.");
    expect(addedText(event, "m9", 0)).toBe("");
  }
});

test("the finished message adds the rest, and nothing where all was shown", () => {
  const finished = { type: "finished", seq: 2, generationId: "g", message: answer } as const;
  expect(addedText(finished, "m2", 5)).toBe(".");
  expect(addedText(finished, "m2", 6)).toBe("");
});
