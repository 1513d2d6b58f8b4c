import { describe, expect, test } from "vitest";
import type { Message } from "../../../src-main/contract/conversation.ts";
import { writersOf } from "../../../src-renderer/chat/writers.ts";
import { sampleLevelFile } from "../../helpers/sample-family.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";
import { sampleMessage } from "../../helpers/sample-thread.ts";

const files = [
  sampleLevelFile("q4", "Q4_1"),
  sampleLevelFile("q8", "Q8_0"),
  sampleModelFile({ id: "qwen", name: "Qwen3 4B", familyId: "qwen" }),
];
const question = (id: string) => sampleMessage({ id });
/** `modelId`: the file is called as the model is. */
const answer = (id: string, modelId: string, changes: Partial<Message> = {}) =>
  sampleMessage({
    id,
    role: "assistant",
    modelName: `${modelId}-file`,
    modelId,
    modelLevel: files.find((file) => file.id === modelId)?.summary?.quantization ?? null,
    ...changes,
  });

function writers(...messages: Message[]) {
  const { signatures, handovers } = writersOf(messages, (id) => files.find((file) => file.id === id) ?? null);
  return { signatures: Object.fromEntries(signatures), handovers: Object.fromEntries(handovers) };
}

describe("who wrote what", () => {
  test("is not told where one model wrote everything", () => {
    expect(writers(question("m1"), answer("a1", "q4"), question("m2"), answer("a2", "q4"))).toEqual({
      signatures: {},
      handovers: {},
    });
  });

  test("is told by the level where the model is the same, and each change before the question it answers", () => {
    const thread = [question("m1"), answer("a1", "q4"), question("m2"), answer("a2", "q8"), question("m3")];
    expect(writers(...thread, answer("a3", "q8"), question("m4"), answer("a4", "q4"))).toEqual({
      signatures: { a1: "Q4_1", a2: "Q8_0", a3: "Q8_0", a4: "Q4_1" },
      handovers: { m2: "Q8_0", m4: "Q4_1" },
    });
  });

  test("has the model's name where that changes, also of a file that is gone", () => {
    const gone = answer("a3", "gone", { modelName: "Old-Q5_K_M", modelLevel: "Q5_K_M" });
    expect(writers(answer("a1", "q4"), question("m2"), answer("a2", "qwen"), gone)).toEqual({
      signatures: { a1: "SmolLM2 135M Instruct Q4_1", a2: "Qwen3 4B", a3: "Old-Q5_K_M" },
      handovers: { m2: "Qwen3 4B", a3: "Old-Q5_K_M" },
    });
  });

  test("is told where an answer has other versions, which another may have written", () => {
    expect(writers(question("m1"), answer("a1", "q4", { siblingIds: ["a0", "a1"] }))).toEqual({
      signatures: { a1: "Q4_1" },
      handovers: {},
    });
  });

  test("of older answers, which have the name of the file alone, is known from others of the same file", () => {
    const older = { modelId: null, modelLevel: null };
    expect(
      writers(answer("a1", "q4", older), answer("a2", "q4"), answer("a3", "q8"), answer("a4", "q8", older)),
    ).toEqual({
      signatures: { a1: "Q4_1", a2: "Q4_1", a3: "Q8_0", a4: "Q8_0" },
      handovers: { a3: "Q8_0" },
    });
  });

  test("passes over answers of nobody known", () => {
    const unknown = answer("a2", "q8", { modelName: null, modelId: null, modelLevel: null });
    expect(writers(answer("a1", "q4"), question("m2"), unknown, question("m3"), answer("a3", "q4")).handovers).toEqual(
      {},
    );
  });
});
