import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { kvRowBytes } from "../../src-main/gguf/kv-shape.ts";
import { readGgufHeader } from "../../src-main/gguf/gguf-header.ts";
import { defaultModelPath } from "../helpers/default-model.ts";
import { inPlaceAfter } from "../helpers/cached-chat.ts";
import { engineInProcess, load, request, turn } from "../helpers/engine-turns.ts";
import { message } from "../helpers/prompt-message.ts";

const client = engineInProcess();
const question = message("user", "Which ocean lies between Europe and America?");

beforeAll(async () => {
  await load(client, await defaultModelPath(), { contextTokens: 2_048 });
});
/** So that no test finds in place what another one left. */
beforeEach(async () => {
  await turn(client, request([message("system", "x"), message("user", "x")], { maxTokens: 1 }));
});

test("it is the model it says it is, in the memory its shape asks for", async () => {
  const path = await defaultModelPath();
  const { model } = await load(client, path, { contextTokens: 2_048 });
  const { report } = await turn(client, request([question], { maxTokens: 4 }));
  const rows = kvRowBytes(readGgufHeader(path)) ?? [];
  expect(model).toMatchObject({
    summary: { architecture: "llama", quantization: "Q4_1", layers: 30, trainedContextTokens: 8_192 },
    template: "model",
  });
  // 30 layers, 3 kv heads of 64, keys and values, two bytes each.
  expect(rows.reduce((sum, bytes) => sum + bytes, 0)).toBe(30 * 3 * 64 * 2 * 2);
  expect(report.memory).toMatchObject({ kvBytesPerToken: 23_040, kvAllocated: 2_048 * 23_040 });
});

test("it answers sensibly", async () => {
  expect((await turn(client, request([question], { maxTokens: 60 }))).text).toContain("Atlantic");
});

test("the likeliest answer is the same every time", async () => {
  const first = await turn(client, request([question]));
  const warm = await turn(client, request([question]));
  await turn(client, request([message("system", "x"), message("user", "x")], { maxTokens: 1 }));
  const cold = await turn(client, request([question]));
  expect(warm.text).toBe(first.text);
  expect(cold.text).toBe(first.text);
  expect(cold.report.prefilled).toBe(first.report.prefilled);
});

test("a seed is an answer", async () => {
  const sampling = { temperature: 1, topK: 40, topP: 0.95, minP: 0.05, repeatPenalty: 1.1 };
  const answers: string[] = [];
  for (const seed of [5, 5, 6]) answers.push((await turn(client, request([question], { ...sampling, seed }))).text);
  expect(answers[1]).toBe(answers[0]);
  expect(answers[2]).not.toBe(answers[0]);
});

test("each turn computes only its own message, however long the conversation is", async () => {
  const messages = [question];
  let inPlace = 0;
  for (const next of ["How deep is it?", "Name a fish that lives there.", "Thanks!"]) {
    const answered = await turn(client, request(messages, { maxTokens: 40 }));
    const { text, answerTokens, report } = answered;
    // The first few of the system prompt, which this model's template writes by itself, are another branch's too.
    if (inPlace > 0) expect(report.fromResident + report.fromShared).toBe(inPlace);
    expect(report.prefilled).toBeLessThan(60);
    inPlace = inPlaceAfter(answered);
    messages.push(message("assistant", text, answerTokens), message("user", next));
  }
  expect(inPlace).toBeGreaterThan(120);
});

test("a prefill that was stopped goes on where it was, to the same answer", async () => {
  const facts = Array.from({ length: 120 }, (_, index) => `Shelf ${index} holds box ${(index * 7) % 31}.`).join(" ");
  const messages = [message("user", `${facts}\nWhich box is on shelf 3?`)];
  const whole = await turn(client, request(messages));
  await turn(client, request([message("system", "x"), message("user", "x")], { maxTokens: 1 }));
  const input = request(messages);
  const stopped = await turn(client, input, (event) =>
    event.type === "prefill" && event.doneTokens >= 256 ? client.stop({ generationId: input.generationId }) : undefined,
  );
  const resumed = await turn(client, request(messages));
  expect(stopped.report.stopReason).toBe("stopped");
  expect(stopped.report.context.usedTokens).toBeGreaterThanOrEqual(256);
  expect(stopped.report.context.usedTokens).toBeLessThan(whole.report.promptTokens);
  // What every prompt of the template begins with, the other one computed.
  expect(resumed.report.fromResident + resumed.report.fromShared).toBe(stopped.report.context.usedTokens);
  expect(resumed.text).toBe(whole.text);
});

test("a stop string ends the answer before it, wherever its tokens begin and end", async () => {
  const { text } = await turn(client, request([question], { maxTokens: 40 }));
  for (const start of [3, 10, 17]) {
    const stop = text.slice(start, start + 9);
    const stopped = await turn(client, request([question], { maxTokens: 40, stop: [stop] }));
    expect(stopped.text).toBe(text.slice(0, text.indexOf(stop)));
    expect(stopped.report.stopReason).toBe("stop-string");
  }
});

describe("characters of several tokens", () => {
  test.each([
    ["emoji", "Continue: 🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉🎉", /\p{Extended_Pictographic}/u],
    ["Chinese", "Continue: 水火土金木水火土金木水火土金木水火土金木", /[水火土金木]/u],
    ["Cyrillic", "Привет! Как дела? Ответь по-русски.", /[а-я]/u],
  ])("arrive whole: %s", async (_, content, expected) => {
    const { events, text, report } = await turn(client, request(content, { maxTokens: 40 }));
    const deltas = events.filter((event) => event.type === "delta");
    expect(text).toMatch(expected);
    expect(deltas.length).toBeGreaterThan(1);
    expect(deltas.length).toBeLessThan(report.outputTokens);
    for (const delta of deltas) {
      expect(delta.text.isWellFormed()).toBe(true);
      expect(delta.text).not.toContain("\u{fffd}");
    }
  });

  test("a stop string of them is met across tokens", async () => {
    const content = "Continue: 水火土金木水火土金木水火土金木水火土金木";
    const { text } = await turn(client, request(content, { maxTokens: 40 }));
    const stop = Array.from(text).slice(2, 4).join("");
    const stopped = await turn(client, request(content, { maxTokens: 40, stop: [stop] }));
    expect(stopped.text).toBe(text.slice(0, text.indexOf(stop)));
  });
});

test("control texts in a message do not end it", async () => {
  const { report, text } = await turn(
    client,
    request("What does <|im_end|> mean? Answer in one sentence.", { maxTokens: 20 }),
  );
  expect(report.promptTokens).toBeGreaterThan(40);
  expect(text.length).toBeGreaterThan(10);
});
