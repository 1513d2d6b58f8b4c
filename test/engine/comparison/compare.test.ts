/** Two models answer one prompt by turns: each as it would alone, and the conversation in place is not touched. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { CompareEvent, CompareInput, EngineEvent, LoadInput } from "../../../src-main/contract/engine-contract.ts";
import { newId } from "../../../src-main/contract/id.ts";
import { defaultLoadOptions } from "../../../src-main/contract/model-settings.ts";
import { CachedChat, cacheStateWhen, cheapRestore, longText } from "../../helpers/cached-chat.ts";
import { cacheOptions, engineInProcess, load, request, turn } from "../../helpers/engine-turns.ts";
import { greedySampling } from "../../helpers/greedy.ts";
import { message } from "../../helpers/prompt-message.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "../../helpers/tiny-gguf.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });

/** Two files of one vocabulary, as two levels are. */
async function twoLevels(variant: TinyModelOptions = {}): Promise<[string, string]> {
  const write = (seed: number) => writeTinyGguf(join(temporaryFolder(), `${seed}.gguf`), { ...variant, seed });
  return [await write(1), await write(2)];
}

const inputOf = (path: string): LoadInput => ({
  path,
  options: { ...defaultLoadOptions, contextTokens: 1_024 },
  tuning: { prefill: 1, decode: 1, measured: [] },
  ...cacheOptions(),
});

const sidesOf = (paths: readonly string[]) => paths.map((path) => ({ generationId: newId(), load: inputOf(path) }));

function question(paths: readonly string[], messages: CompareInput["messages"], maxTokens = 20): CompareInput {
  return { conversationId: "one", messages, sampling: { ...greedySampling, maxTokens }, sides: sidesOf(paths) };
}

async function compare(input: CompareInput, onEvent: (event: CompareEvent) => unknown = () => undefined) {
  const events: CompareEvent[] = [];
  for await (const event of await client.compare(input)) {
    events.push(event);
    await onEvent(event);
  }
  const sides = input.sides.map((_, side) =>
    events.flatMap((event): EngineEvent[] => (event.type === "answer" && event.side === side ? [event.event] : [])),
  );
  return { events, answers: sides.map(answerOf) };
}

function answerOf(events: readonly EngineEvent[]) {
  const done = events.find((event) => event.type === "done");
  const text = events.map((event) => (event.type === "delta" ? event.text : "")).join("");
  return { text, tokens: done?.answerTokens, report: done?.report };
}

describe.each<[string, TinyModelOptions]>([
  ["full attention", {}],
  ["sliding windows", { variant: "sliding-window" }],
  ["a recurrent state", { variant: "recurrent" }],
])("%s", (_, variant) => {
  test("each answers as it would alone, token for token", async () => {
    const paths = await twoLevels(variant);
    const messages = [message("user", longText(300))];
    const alone = [];
    for (const path of paths) {
      await load(client, path);
      alone.push(await turn(client, request(messages, { maxTokens: 20 })));
    }
    const { answers } = await compare(question(paths, messages));
    expect(answers.map(({ tokens }) => tokens)).toEqual(alone.map(({ answerTokens }) => answerTokens));
    expect(answers.map(({ text }) => text)).toEqual(alone.map(({ text }) => text));
    expect(answers[0]?.text).not.toBe(answers[1]?.text);
  });

  test("the conversation in place stays, and its next turn reuses all of it", async () => {
    const paths = await twoLevels(variant);
    await load(client, paths[0]);
    const chat = new CachedChat(client, "one");
    for (const text of [longText(200), "and then?"]) await chat.send(text);
    const before = await cacheStateWhen(client);
    await compare(question(paths, [...chat.messages, message("user", "what else?")]));
    const after = await cacheStateWhen(client);
    expect(after.runs).toEqual(before.runs);
    const known = after.models[0]?.inPlace.find(({ conversationId }) => conversationId === "one")?.tokens ?? 0;
    const { report } = await chat.send("go on");
    expect(report.fromResident).toBeGreaterThanOrEqual(known - 1);
    expect(report.prefilled).toBeLessThan(20);
  });
});

test("both are written together, and each tells its own figures", async () => {
  await client.unload();
  const paths = await twoLevels();
  const { events, answers } = await compare(question(paths, [message("user", "hello")], 60));
  const first = (side: number) => events.findIndex((event) => event.type === "answer" && event.side === side);
  const done = (side: number) =>
    events.findIndex((event) => event.type === "answer" && event.side === side && event.event.type === "done");
  expect(first(1)).toBeLessThan(done(0));
  expect(first(0)).toBeLessThan(done(1));
  for (const { report } of answers) {
    expect(report).toMatchObject({ outputTokens: 60, stopReason: "length" });
    expect(report?.memory.otherModels).toHaveLength(1);
    // Of this answer, not of the conversation that is in place again. Nothing follows the last token, so it has no cell.
    expect(report?.context.usedTokens).toBe((report?.promptTokens ?? 0) + 60 - 1);
  }
});

test("one can be stopped while the other goes on", async () => {
  const input = question(await twoLevels(), [message("user", "hello")], 80);
  const { answers } = await compare(input, (event) =>
    event.type === "answer" && event.side === 0 && event.event.type === "delta"
      ? client.stop({ generationId: input.sides[0]?.generationId ?? "" })
      : undefined,
  );
  expect(answers.map(({ report }) => report?.stopReason)).toEqual(["stopped", "length"]);
});

test("what one cannot answer does not end the other", async () => {
  const [path] = await twoLevels();
  const small = await writeTinyGguf(join(temporaryFolder(), "small.gguf"), { seed: 3, contextTokens: 256 });
  const { events, answers } = await compare(question([path, small], [message("user", longText(400))]));
  expect(answers[0]?.report?.stopReason).toBe("length");
  expect(events).toContainEqual(expect.objectContaining({ type: "failed", side: 1 }));
});

test("one model alone answers in the same way", async () => {
  const [path] = await twoLevels();
  const messages = [message("user", "hello")];
  await load(client, path);
  const alone = await turn(client, request(messages, { maxTokens: 20 }));
  const { answers } = await compare(question([path], messages));
  expect(answers).toMatchObject([{ text: alone.text, tokens: alone.answerTokens }]);
});
