/** A conversation that needs a larger context gets one, and goes on as if it had been that large from the start. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { LlamaModel } from "node-llama-cpp";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LoadInput } from "../../../src-main/contract/engine-contract.ts";
import { newId } from "../../../src-main/contract/id.ts";
import type { LoadedModel } from "../../../src-main/contract/model.ts";
import { SequenceState } from "../../../src-main/engine/llama/sequence-state.ts";
import { CachedChat, cacheStateWhen, cheapRestore, inPlaceAfter, longText } from "../../helpers/cached-chat.ts";
import { codedError } from "../../helpers/coded-error.ts";
import { engineInProcess, load, request, turn, type LoadChoice, type Turn } from "../../helpers/engine-turns.ts";
import { message } from "../../helpers/prompt-message.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "../../helpers/tiny-gguf.ts";
import { writeTinyLora } from "../../helpers/tiny-lora.ts";

const memory = { freeBytes: 0, totalBytes: 0 };
const client = engineInProcess({ fixedCosts: cheapRestore, freeMemory: () => ({ ...memory }) });

const plenty = 1e12;
/** Keys and values of the tiny model: 2 layers, 2 heads of 32, two bytes each. */
const rowBytes = 2 * 2 * (32 + 32) * 2;

beforeEach(() => {
  memory.freeBytes = 0;
});
afterEach(() => {
  vi.restoreAllMocks();
});

let cacheFolder = "";

/** A model that nothing is known of. It begins with 2,048 tokens while memory is short, and 4,096 is what it was trained for. */
async function loadTiny(model: TinyModelOptions = {}, options: LoadChoice = {}): Promise<LoadedModel> {
  cacheFolder = temporaryFolder();
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId(), ...model });
  const store = { isEnabled: true, budgetBytes: 1e9 };
  return (await load(client, path, { contextTokens: null, cacheFolder, store, ...options })).model;
}

interface LargeModel extends Pick<LoadChoice, "options"> {
  readonly model?: TinyModelOptions;
  readonly maxTokens?: number;
}

/** The answers of a context that was large from the start. */
async function largeFromTheStart(
  texts: readonly string[],
  { model = {}, options = {}, maxTokens = 12 }: LargeModel = {},
): Promise<string[]> {
  memory.freeBytes = plenty;
  expect((await loadTiny(model, { options })).contextTokens).toBe(4_096);
  memory.freeBytes = 0;
  const chat = new CachedChat(client, newId(), { maxTokens });
  const answers: string[] = [];
  for (const text of texts) answers.push((await chat.send(text)).text);
  return answers;
}

const texts = [longText(1_400), longText(700, "water"), "more"] as const;
/** Nothing is computed in advance behind a state that cannot be taken back. */
const usedAfter = ({ report }: Turn): number => report.context.usedTokens;

describe.each([
  ["with the store", {}, { isEnabled: true, budgetBytes: 1e9 }, inPlaceAfter],
  ["without the store", {}, { isEnabled: false, budgetBytes: null }, inPlaceAfter],
  ["of a model with a sliding window", { variant: "sliding-window" }, { isEnabled: true, budgetBytes: 1e9 }, usedAfter],
  ["of a recurrent model", { variant: "recurrent" }, { isEnabled: false, budgetBytes: null }, usedAfter],
  ["of a hybrid model", { variant: "hybrid" }, { isEnabled: false, budgetBytes: null }, usedAfter],
] as const)("a conversation, %s", (_, model, store, inPlace) => {
  test("outgrows its context between two turns, and nothing is computed again", async () => {
    const expected = await largeFromTheStart(texts, { model });
    expect((await loadTiny(model, { store })).contextTokens).toBe(2_048);
    const chat = new CachedChat(client, newId());
    const first = await chat.send(texts[0]);
    memory.freeBytes = plenty;
    const second = await chat.send(texts[1]);
    const third = await chat.send(texts[2]);
    expect([first, second, third].map(({ text }) => text)).toEqual(expected);
    expect(first.report.context).toMatchObject({ sizeTokens: 2_048, limitTokens: 2_048 });
    expect(second.report).toMatchObject({
      fromResident: inPlace(first),
      fromStore: 0,
      context: { sizeTokens: 4_096, limitTokens: 4_096 },
      divergence: { kind: "continues" },
      shortfall: { kind: "none" },
    });
    expect(third.report.fromResident).toBe(inPlace(second));
  });

  test("outgrows its context in the middle of an answer", async () => {
    const options = { model, maxTokens: 120 };
    const long = longText(1_940);
    const expected = await largeFromTheStart([long, "more"], options);
    await loadTiny(model, { store });
    memory.freeBytes = plenty;
    const chat = new CachedChat(client, newId(), { maxTokens: 120 });
    const answer = await chat.send(long);
    expect(answer.report.promptTokens).toBeLessThan(2_048);
    expect(answer.report).toMatchObject({ stopReason: "length", outputTokens: 120, context: { sizeTokens: 4_096 } });
    const next = await chat.send("more");
    expect([answer.text, next.text]).toEqual(expected);
    expect(next.report.fromResident).toBe(inPlace(answer));
  });
});

test("a conversation outgrows its context with quantized cells and an adapter as it does without", async () => {
  const loras = [{ path: await writeTinyLora(join(temporaryFolder(), "adapter.gguf")), scale: 1 }];
  const options = { keyType: "q8_0", valueType: "q4_0", loras } as const;
  const expected = await largeFromTheStart(texts, { options });
  expect((await loadTiny({}, { options })).contextTokens).toBe(2_048);
  const chat = new CachedChat(client, newId());
  const first = await chat.send(texts[0]);
  memory.freeBytes = plenty;
  const second = await chat.send(texts[1]);
  expect([first.text, second.text, (await chat.send(texts[2])).text]).toEqual(expected);
  expect(second.report).toMatchObject({
    fromResident: inPlaceAfter(first),
    context: { sizeTokens: 4_096 },
    memory: { kvAllocated: 4_096 * 2 * 2 * (34 + 18) },
  });
});

test("the self-test finds what was computed before and after it, and stored since, in the same steps", async () => {
  await loadTiny();
  const chat = new CachedChat(client, newId());
  await chat.send(longText(1_400));
  memory.freeBytes = plenty;
  const left = await chat.send(longText(700, "water"));
  const messages = [...chat.messages, message("user", "more")];
  const result = await client.cache.selfTest({ conversationId: chat.id, messages });
  expect(left.report.context.sizeTokens).toBe(4_096);
  expect(result).toMatchObject({ verdict: "same", tokens: inPlaceAfter(left), replayedTokens: result.tokens });
});

describe("how large it can become", () => {
  test("is what is said before anything is sent, and memory is told to the byte afterwards", async () => {
    await loadTiny();
    memory.freeBytes = plenty;
    const messages = [message("user", longText(2_500))];
    const { promptTokens, contextTokens } = await client.measure({ conversationId: "measured", messages });
    const { report } = await turn(client, request(messages));
    expect(contextTokens).toBe(4_096);
    expect(report.context).toEqual({ usedTokens: promptTokens + 23, sizeTokens: 4_096, limitTokens: 4_096 });
    expect(report.memory).toMatchObject({
      kvAllocated: 4_096 * rowBytes,
      kvLive: report.context.usedTokens * rowBytes,
      kvBytesPerToken: rowBytes,
    });
    expect((await cacheStateWhen(client)).cells?.total).toBe(4_096);
  });

  test("is no more than somebody set", async () => {
    memory.freeBytes = plenty;
    await loadTiny({}, { contextTokens: 2_048 });
    await expect(turn(client, request(longText(2_500)))).rejects.toThrow(
      codedError("CONTEXT_FULL", { contextTokens: 2_048 }),
    );
  });

  test("is no more than memory allows: then a longer prompt is refused, and what was there is still in place", async () => {
    const expected = await largeFromTheStart([longText(1_400), "more"]);
    await loadTiny();
    const chat = new CachedChat(client, newId());
    const first = await chat.send(longText(1_400));
    const before = [...chat.messages];
    await expect(chat.send(longText(700))).rejects.toThrow(codedError("CONTEXT_FULL", { contextTokens: 2_048 }));
    chat.messages = before;
    const next = await chat.send("more");
    expect([first.text, next.text]).toEqual(expected);
    expect(next.report.fromResident).toBe(inPlaceAfter(first));
  });

  test("is told of a prompt that is too long even for that, and nothing is made for it", async () => {
    await loadTiny({ contextTokens: 3_072 });
    memory.freeBytes = plenty;
    await expect(turn(client, request(longText(3_100)))).rejects.toThrow(
      codedError("CONTEXT_FULL", { contextTokens: 3_072 }),
    );
    expect((await cacheStateWhen(client)).cells?.total).toBe(2_048);
  });
});

/** The whole blocks of the first text are written, and only the tail behind them still waits. */
async function whenHandedOver(): Promise<void> {
  await cacheStateWhen(client, ({ store }) => store.tokens >= 1_280 && store.pendingBytes > 0);
}

describe("of a model with other RoPE factors for large contexts", () => {
  const model = { shortFactorsTokens: 2_048 };
  const long = longText(1_400);

  test("the two give the same tokens other keys", async () => {
    await loadTiny(model);
    const short = await new CachedChat(client, newId()).send(long);
    const [other] = await largeFromTheStart([long], { model });
    expect(short.text).not.toBe(other);
  });

  test("a context with cells of the short ones never grows beyond them, whatever memory there is", async () => {
    await loadTiny(model);
    memory.freeBytes = plenty;
    const chat = new CachedChat(client, newId());
    const first = await chat.send(long);
    const before = [...chat.messages];
    expect(first.report.context).toMatchObject({ sizeTokens: 2_048, limitTokens: 2_048 });
    await expect(chat.send(longText(700))).rejects.toThrow(codedError("CONTEXT_FULL", { contextTokens: 2_048 }));
    chat.messages = before;
    expect((await chat.send("more")).report.fromResident).toBe(inPlaceAfter(first));
  });

  test("one that began with the long ones grows as any other", async () => {
    const small = { shortFactorsTokens: 1_024 };
    const expected = await largeFromTheStart(texts, { model: small });
    await loadTiny(small);
    memory.freeBytes = plenty;
    const chat = new CachedChat(client, newId());
    const answers: string[] = [];
    for (const text of texts) answers.push((await chat.send(text)).text);
    expect(answers).toEqual(expected);
  });
});

describe("what goes wrong costs time at most", () => {
  const goesOn = async (chat: CachedChat, first: number) => {
    const next = await chat.send("more");
    return { text: next.text, isInPlace: next.report.fromResident === first };
  };

  test.each([
    ["there is no memory for the larger context", () => vi.spyOn(LlamaModel.prototype, "createContext")],
    ["what is in place cannot be saved", () => vi.spyOn(SequenceState.prototype, "saveWhole")],
  ])("%s: the prompt is refused, and the conversation is in place", async (_, spy) => {
    const [, expected] = await largeFromTheStart([longText(1_400), "more"]);
    await loadTiny();
    const chat = new CachedChat(client, newId());
    const first = await chat.send(longText(1_400));
    const before = [...chat.messages];
    memory.freeBytes = plenty;
    spy().mockRejectedValueOnce(new Error("there is no room"));
    await expect(chat.send(longText(700))).rejects.toThrow(codedError("CONTEXT_FULL", { contextTokens: 2_048 }));
    chat.messages = before;
    expect(await goesOn(chat, inPlaceAfter(first))).toEqual({ text: expected, isInPlace: true });
  });

  test("what was saved cannot be put back: it comes from the store", async () => {
    const expected = await largeFromTheStart(texts.slice(0, 2));
    await loadTiny();
    const chat = new CachedChat(client, newId());
    const first = await chat.send(texts[0]);
    await whenHandedOver();
    memory.freeBytes = plenty;
    vi.spyOn(SequenceState.prototype, "load").mockImplementationOnce(() => Promise.reject(new Error("not whole")));
    const second = await chat.send(texts[1]);
    expect([first.text, second.text]).toEqual(expected);
    expect(second.report).toMatchObject({ fromResident: 0, fromStore: inPlaceAfter(first) });
  });

  test("there is memory for no context any more: it is said, and made again for the next message", async () => {
    const expected = await largeFromTheStart(texts.slice(0, 2));
    await loadTiny();
    const chat = new CachedChat(client, newId());
    const first = await chat.send(texts[0]);
    await whenHandedOver();
    const before = [...chat.messages];
    memory.freeBytes = plenty;
    const none = new Error("Failed to create context");
    vi.spyOn(LlamaModel.prototype, "createContext").mockRejectedValueOnce(none).mockRejectedValueOnce(none);
    await expect(chat.send(texts[1])).rejects.toThrow(codedError("ENGINE_FAILED"));
    chat.messages = before;
    const second = await chat.send(texts[1]);
    expect([first.text, second.text]).toEqual(expected);
    expect(second.report.fromStore).toBe(inPlaceAfter(first));
  });
});

/** From wherever, and whichever branch computed them. */
function reusedTokens({ report }: Turn): number {
  return report.fromResident + report.fromStore + report.fromShared;
}

describe("other branches make way", () => {
  async function growBesideBranch(store: LoadInput["store"]) {
    await loadTiny({}, { store });
    const chat = new CachedChat(client, newId());
    await chat.send(longText(600));
    const before = [...chat.messages];
    const branch = await chat.send(longText(80, "water"));
    const left = [...chat.messages];
    chat.messages = before;
    const other = await chat.send("something else");
    expect(other.report.memory.kvParked).toBeGreaterThan(0);
    memory.freeBytes = plenty;
    const grown = await chat.send(longText(1_600));
    expect(reusedTokens(grown)).toBe(inPlaceAfter(other));
    expect(grown.report).toMatchObject({
      context: { sizeTokens: 4_096 },
      memory: { kvParked: 0 },
    });
    chat.messages = left;
    return { branch, back: await chat.send("more") };
  }

  test("for the store, which gives them back", async () => {
    const { branch, back } = await growBesideBranch({ isEnabled: true, budgetBytes: 1e9 });
    expect(reusedTokens(back)).toBe(inPlaceAfter(branch));
    expect(back.report.shortfall).toMatchObject({ kind: "none" });
  });

  test("for good where there is none, and it is known why", async () => {
    const { branch, back } = await growBesideBranch({ isEnabled: false, budgetBytes: null });
    expect(reusedTokens(back)).toBeLessThan(branch.report.context.usedTokens);
    expect(back.report.shortfall).toMatchObject({ kind: "evicted" });
  });
});

describe("ahead of the user", () => {
  test("a draft that needs a larger context gets it", async () => {
    const question = longText(2_500, "water");
    const [expected] = await largeFromTheStart([question]);
    await loadTiny();
    memory.freeBytes = plenty;
    const chat = new CachedChat(client, newId());
    const messages = [...chat.messages, message("user", question)];
    const { tokens } = await client.prepare({ conversationId: chat.id, messages });
    expect(tokens).toBeGreaterThan(2_048);
    const sent = await chat.send(question);
    expect(sent.report.preparedTokens).toBeGreaterThan(2_048);
    expect(sent.text).toBe(expected);
  });

  test("a draft that could never fit is refused", async () => {
    await loadTiny();
    const messages = [message("user", longText(2_500))];
    await expect(client.prepare({ conversationId: "refused", messages })).rejects.toThrow(
      codedError("CONTEXT_FULL", { contextTokens: 2_048 }),
    );
  });

  test("a long conversation that is opened after a restart is put in place whole", async () => {
    const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId() });
    const store = { isEnabled: true, budgetBytes: 1e9 };
    const options = { contextTokens: null, cacheFolder: temporaryFolder(), store };
    memory.freeBytes = plenty;
    await load(client, path, options);
    const chat = new CachedChat(client, newId());
    const left = await chat.send(longText(2_500));
    await client.unload();
    memory.freeBytes = 0;
    expect((await load(client, path, options)).model.contextTokens).toBe(2_048);
    memory.freeBytes = plenty;
    const { tokens } = await client.warm({ conversationId: chat.id, messages: chat.messages });
    expect(tokens).toBe(inPlaceAfter(left));
    expect((await chat.send("more")).report).toMatchObject({ fromResident: tokens, fromStore: 0 });
  });
});

test("where memory has room for the larger context only, what is in place waits for it on the disk", async () => {
  const model = { contextTokens: 8_192 };
  const stateFolders = () => readdirSync(cacheFolder).filter((name) => name.startsWith("reprise-state-"));
  await loadTiny(model);
  const chat = new CachedChat(client, newId());
  const first = await chat.send(longText(1_900));
  memory.freeBytes = 2 ** 29;
  let contextTokens = 0;
  while (contextTokens < 4_096) {
    memory.freeBytes += 100_000;
    ({ contextTokens } = await client.measure({ conversationId: chat.id, messages: chat.messages }));
  }
  expect(contextTokens).toBe(4_096);
  expect(stateFolders()).toEqual([]);
  const second = await chat.send(longText(300));
  expect(second.report).toMatchObject({
    fromResident: inPlaceAfter(first),
    context: { sizeTokens: 4_096 },
  });
  const [folder = ""] = stateFolders();
  await cacheStateWhen(client);
  expect(readdirSync(join(cacheFolder, folder))).toEqual([]);
});
