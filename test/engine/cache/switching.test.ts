/** Two levels of one model in memory: a conversation goes from one to the other and back as if it had never left. */
import { join } from "node:path";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { RefillEvent } from "../../../src-main/contract/engine-contract.ts";
import { newId } from "../../../src-main/contract/id.ts";
import { defaultLoadOptions, type LoadOptions } from "../../../src-main/contract/model-settings.ts";
import type { ResidentModel } from "../../../src-main/contract/model-switch.ts";
import {
  CachedChat,
  cacheStateWhen,
  cheapRestore,
  inPlaceAfter,
  longText,
  whenStored,
} from "../../helpers/cached-chat.ts";
import { codedError } from "../../helpers/coded-error.ts";
import { engineInProcess, load, request, turn } from "../../helpers/engine-turns.ts";
import { message } from "../../helpers/prompt-message.ts";
import { quantizeFile } from "../../helpers/quantize-tiny.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { tinyGguf, writeTinyGguf } from "../../helpers/tiny-gguf.ts";

const plenty = 1e12;
const memory = { freeBytes: plenty, totalBytes: 0 };
const client = engineInProcess({ fixedCosts: cheapRestore, freeMemory: () => ({ ...memory }) });
const store = { isEnabled: true, budgetBytes: 1e9 };

let fine = "";
let coarse = "";
let cacheFolder = "";

const levels = mkdtempSync(join(tmpdir(), "reprise-levels-"));

beforeAll(async () => {
  fine = await writeTinyGguf(join(levels, "fine.gguf"));
  coarse = (await quantizeFile(fine, "Q8_0")).path;
});
afterAll(() => {
  rmSync(levels, { recursive: true, force: true, maxRetries: 3 });
});
beforeEach(() => {
  memory.freeBytes = plenty;
  cacheFolder = temporaryFolder();
});

const use = (path: string, contextTokens = 2_048) => load(client, path, { contextTokens, cacheFolder, store });

async function residents(): Promise<ResidentModel[]> {
  const models = await client.residents();
  const first = await models.next();
  await models.return();
  return first.done === true ? [] : first.value;
}

const pathsOf = (models: readonly ResidentModel[]) => models.map(({ path }) => path);

async function refill(chat: CachedChat, onEvent?: (event: RefillEvent) => unknown): Promise<RefillEvent[]> {
  const events: RefillEvent[] = [];
  for await (const event of await client.refill({ conversationId: chat.id, messages: chat.messages })) {
    events.push(event);
    await onEvent?.(event);
  }
  return events;
}

const costOf = (path: string, chat: CachedChat, options: Partial<LoadOptions> = {}) =>
  client.switchCost({
    path,
    options: { ...defaultLoadOptions, contextTokens: 2_048, ...options },
    tuning: {
      prefill: 1,
      decode: 1,
      measured: [{ threads: 1, prefillTokensPerSecond: 100, decodeTokensPerSecond: 9 }],
    },
    conversationId: chat.id,
    messages: chat.messages,
  });

test("both stay in memory, and the one that is loaded last is active", async () => {
  await use(fine);
  const { model, fractions } = await use(coarse);
  expect(model.summary.quantization).toBe("Q8_0");
  expect(fractions.length).toBeGreaterThan(0);
  expect(await residents()).toMatchObject([
    { path: coarse, isActive: true },
    { path: fine, isActive: false },
  ]);
  const again = await use(fine);
  expect(again.fractions).toEqual([]);
  expect(pathsOf(await residents())).toEqual([fine, coarse]);
});

describe.each([
  ["in memory all the time", plenty, { fromStore: 0 }],
  ["closed meanwhile for want of memory", 0, { fromResident: 0 }],
])("a model that is %s", (_, freeBytes, reuse) => {
  test("goes on with a conversation as if it had never been left", async () => {
    await use(fine);
    const uninterrupted = new CachedChat(client, newId());
    await uninterrupted.send(longText(600));
    const expected = await uninterrupted.send("and then?");
    await client.unload();
    cacheFolder = temporaryFolder();

    await use(fine);
    const chat = new CachedChat(client, newId());
    await chat.send(longText(600));
    memory.freeBytes = freeBytes;
    await use(coarse);
    expect(await residents()).toHaveLength(freeBytes > 0 ? 2 : 1);
    const side = new CachedChat(client, newId());
    await side.send(longText(300, "water"));
    await use(fine);
    const back = await chat.send("and then?");
    expect(back.text).toBe(expected.text);
    expect(back.answerTokens).toEqual(expected.answerTokens);
    expect(back.report).toMatchObject({
      ...reuse,
      prefilled: expected.report.prefilled,
      divergence: { kind: "continues" },
      shortfall: { kind: "none" },
    });
  });
});

test("a conversation that goes on with the other level is put in place under it, and both remember theirs", async () => {
  await use(coarse);
  const first = new CachedChat(client, newId());
  await use(fine);
  const chat = new CachedChat(client, newId());
  const written = await chat.send(longText(600));
  first.messages = [...chat.messages];
  await use(coarse);
  const expected = await first.send("and then?");
  await client.unload();
  cacheFolder = temporaryFolder();

  await use(fine);
  await turn(client, request(chat.messages.slice(0, -1), { maxTokens: 12 }, chat.id));
  await use(coarse);
  const events = await refill(chat);
  const done = events.at(-1);
  const total = events.flatMap((event) => (event.type === "progress" ? event.totalTokens : []))[0] ?? 0;
  expect(total).toBeGreaterThan(600);
  expect(done).toEqual({ type: "done", tokens: total, isInterrupted: false });
  expect(events.length).toBeGreaterThan(2);
  const doneTokens = events.flatMap((event) => (event.type === "progress" ? event.doneTokens : []));
  expect(doneTokens).toEqual(doneTokens.toSorted((one, other) => one - other));
  // It is stored as an answer is: whole blocks of either level soon, their tails later.
  await whenStored(client, 4 * 256);
  const next = await chat.send("and then?");
  expect(next.text).toBe(expected.text);
  expect(next.report).toMatchObject({
    model: { level: "Q8_0" },
    fromResident: total,
    divergence: { kind: "model-switched" },
    memory: { otherModels: [{ level: "F16" }] },
  });
  expect(next.report.prefilled).toBeLessThan(32);
  expect(written.report.model).toMatchObject({ name: "Tiny", level: "F16" });
  expect(written.report.model?.weightsHash).toMatch(/^[0-9a-f]{64}$/);
  expect(written.report.model?.weightsHash).not.toBe(next.report.model?.weightsHash);
});

test("what an answer interrupts is gone on with afterwards", async () => {
  await use(coarse);
  const chat = new CachedChat(client, newId());
  chat.messages = [message("user", longText(1_200)), message("assistant", "so it is")];
  const other = new CachedChat(client, newId());
  const answers: Promise<unknown>[] = [];
  const interrupted = await refill(chat, ({ type }) => {
    if (type === "progress" && answers.length === 0) answers.push(other.send("hello"));
  });
  await Promise.all(answers);
  const end = interrupted.at(-1);
  expect(end).toMatchObject({ type: "done", isInterrupted: true });
  const events = await refill(chat);
  const total = events[0]?.type === "progress" ? events[0].totalTokens : 0;
  expect(events.at(-1)).toEqual({ type: "done", tokens: total, isInterrupted: false });
  expect((await chat.send("more")).report).toMatchObject({ fromResident: total });
});

test("what it would take is told beforehand, and is what it takes", async () => {
  await use(fine);
  const chat = new CachedChat(client, newId());
  await chat.send(longText(600));
  const before = await costOf(coarse, chat);
  expect(before).toMatchObject({
    isActive: false,
    isResident: false,
    isFitting: true,
    keepsActive: true,
    closes: [],
    residentTokens: 0,
    storedTokens: 0,
    computeTokens: before.promptTokens,
    computeMs: (before.promptTokens ?? 0) * 10,
  });
  expect(before.loadBytes).toBeGreaterThan(100_000);
  await use(coarse);
  const [loaded] = await residents();
  const bytes = (loaded?.weightsBytes ?? 0) + (loaded?.cacheBytes ?? 0) + (loaded?.computeBytes ?? 0);
  expect(Math.abs((before.memoryBytes ?? 0) / bytes - 1)).toBeLessThan(0.1);
  const total = before.promptTokens ?? 0;
  expect((await refill(chat)).at(-1)).toMatchObject({ tokens: total });
  expect(await costOf(coarse, chat)).toMatchObject({
    isActive: true,
    loadBytes: 0,
    residentTokens: total,
    computeTokens: 0,
  });
  expect(await costOf(fine, chat)).toMatchObject({
    isActive: false,
    isResident: true,
    memoryBytes: expect.any(Number) as number,
  });
  memory.freeBytes = 0;
  const third = await writeTinyGguf(join(temporaryFolder(), "third.gguf"), { seed: 3 });
  expect(await costOf(third, chat)).toMatchObject({ isFitting: false, keepsActive: false, closes: [fine, coarse] });
  await use(third);
  // What is stored under either level waits for it.
  const stored = await costOf(coarse, chat);
  expect(stored).toMatchObject({ isResident: false, promptTokens: total, computeTokens: total - stored.storedTokens });
  expect(stored.storedTokens).toBeGreaterThanOrEqual(total - 8);
  expect(await costOf(coarse, chat, { keyType: "q8_0" })).toMatchObject({ storedTokens: 0, computeTokens: total });
});

test("a prompt that is too long for the other level is told so", async () => {
  await use(fine);
  const chat = new CachedChat(client, newId());
  await chat.send(longText(600));
  await expect(costOf(coarse, chat, { contextTokens: 512 })).rejects.toMatchObject(codedError("CONTEXT_FULL"));
});

test("nobody counts tokens for a model that speaks another way", async () => {
  await use(fine);
  const chat = new CachedChat(client, newId());
  await chat.send("hello");
  const other = await writeTinyGguf(join(temporaryFolder(), "other.gguf"), { chatTemplate: null });
  expect(await costOf(other, chat)).toMatchObject({ promptTokens: null, computeTokens: null, computeMs: null });
});

test("an answer that needs a larger context has the others make way", async () => {
  const own = await writeTinyGguf(join(temporaryFolder(), "own.gguf"), { name: newId() });
  await use(coarse);
  memory.freeBytes = plenty;
  await use(fine);
  memory.freeBytes = 0;
  await load(client, own, { contextTokens: null, cacheFolder, store });
  memory.freeBytes = plenty;
  await use(coarse);
  await load(client, own, { contextTokens: null, cacheFolder, store });
  expect(pathsOf(await residents())).toEqual([own, coarse]);
  // Beyond what is left to the machine there is room for nothing, but for what the other one has.
  memory.freeBytes = 512 * 2 ** 20;
  const chat = new CachedChat(client, newId());
  const { report } = await chat.send(longText(2_300));
  expect(report.context.sizeTokens).toBe(4_096);
  expect(report.memory.otherModels).toEqual([]);
  expect(pathsOf(await residents())).toEqual([own]);
});

test("when memory gets short those that are not active make way by themselves", async () => {
  await use(coarse);
  await use(fine);
  memory.freeBytes = 0;
  await new CachedChat(client, newId()).send("hello");
  await cacheStateWhen(client, ({ models }) => models.length === 1);
  expect(pathsOf(await residents())).toEqual([fine]);
});

test("a deleted conversation leaves the cells of all", async () => {
  await use(fine);
  const chat = new CachedChat(client, newId());
  await chat.send(longText(300));
  await use(coarse);
  await refill(chat);
  expect((await residents()).map(({ inPlace }) => inPlace.map((each) => each.conversationId))).toEqual([
    [chat.id],
    [chat.id],
  ]);
  await client.cache.forget({ conversationId: chat.id });
  expect(await residents()).toMatchObject([
    { inPlace: [], usedCells: 0 },
    { inPlace: [], usedCells: 0 },
  ]);
  const state = await cacheStateWhen(client, ({ store: { tokens } }) => tokens === 0);
  expect(state.residency).toEqual([]);
});

test("after a load that failed the one before is still in memory, and at hand", async () => {
  await use(fine);
  const chat = new CachedChat(client, newId());
  const left = await chat.send(longText(300));
  const broken = join(temporaryFolder(), "broken.gguf");
  writeFileSync(broken, "Dear Sir or Madam");
  await expect(use(broken)).rejects.toMatchObject(codedError("MODEL_INVALID"));
  await expect(chat.send("and then?")).rejects.toMatchObject(codedError("MODEL_MISSING"));
  chat.messages.pop();
  expect((await use(fine)).fractions).toEqual([]);
  expect((await chat.send("and then?")).report.fromResident).toBe(inPlaceAfter(left));
});

test("another content under the same path, and other options, are another model", async () => {
  const path = await writeTinyGguf(join(temporaryFolder(), "changing.gguf"));
  await use(path);
  const before = await turn(client, request("hello"));
  await use(path, 512);
  expect(await residents()).toMatchObject([{ contextTokens: 512 }, { contextTokens: 2_048 }]);
  writeFileSync(path, tinyGguf({ seed: 9 }));
  await use(path);
  const after = await turn(client, request("hello"));
  expect(after.report.model?.weightsHash).not.toBe(before.report.model?.weightsHash);
  expect(after.report.fromResident + after.report.fromStore).toBe(0);
});
