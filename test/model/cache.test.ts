/** The cache on the real default model: token for token as if a conversation had never left memory. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import Database from "better-sqlite3";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { SelfTestResult } from "../../src-main/contract/cache.ts";
import { newId } from "../../src-main/contract/id.ts";
import { CachedChat, inPlaceAfter } from "../helpers/cached-chat.ts";
import { defaultModelPath } from "../helpers/default-model.ts";
import { cacheOptions, engineInProcess, load, request, turn, type Turn } from "../helpers/engine-turns.ts";
import { message } from "../helpers/prompt-message.ts";

const client = engineInProcess();
const cacheFolder = mkdtempSync(join(tmpdir(), "reprise-model-cache-"));
afterAll(() => {
  rmSync(cacheFolder, { recursive: true, force: true });
});

async function loadModel(): Promise<void> {
  const path = await defaultModelPath();
  await load(client, path, { contextTokens: 4_096, cacheFolder, store: { isEnabled: true, budgetBytes: 2e9 } });
}

const facts = (subject: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${subject} ${index} is kept on shelf ${(index * 7) % 31}.`).join(" ");
const questions = [`${facts("Box", 50)} Where is box 3?`, "And box 4?", "Which shelf comes next?"];

let system = "";
let expected: Turn[] = [];

const newChat = () => new CachedChat(client, newId(), { system, maxTokens: 24 });
const textsOf = (turns: readonly Turn[]) => turns.map(({ text }) => text);

/**
 * The same steps with nothing in between. All begin behind the same few tokens of another conversation: kernels round
 * differently by the shape of a chunk, and where chunks begin decides near ties.
 */
async function uninterrupted(): Promise<Turn[]> {
  const chat = newChat();
  const turns: Turn[] = [];
  for (const question of questions) turns.push(await chat.send(question));
  return turns;
}

async function elsewhere(): Promise<Turn> {
  return await new CachedChat(client, newId(), { system: `Elsewhere ${newId()}`, maxTokens: 4 }).send(facts("Cup", 40));
}

/** Nothing is in place or stored that a chat of this file could use but its first few tokens. */
async function afresh(): Promise<void> {
  await elsewhere();
  await client.cache.clear();
}

beforeAll(async () => {
  await loadModel();
  system = "You answer briefly.";
  await afresh();
  expected = await uninterrupted();
});

beforeEach(afresh);

test("switching away and back, each time", async () => {
  const chat = newChat();
  const turns: Turn[] = [];
  for (const question of questions) {
    turns.push(await chat.send(question));
    await elsewhere();
  }
  expect(textsOf(turns)).toEqual(textsOf(expected));
  for (const { report } of turns.slice(1)) {
    expect(report.fromStore).toBeGreaterThan(500);
    expect(report.prefilled).toBeLessThan(40);
  }
});

test("a restart between two turns", async () => {
  const chat = newChat();
  const turns = [await chat.send(questions[0] ?? "")];
  await client.unload();
  await client.cache.open(cacheOptions());
  await loadModel();
  turns.push(await chat.send(questions[1] ?? ""));
  expect(textsOf(turns)).toEqual(textsOf(expected.slice(0, 2)));
  expect(turns[1]?.report.fromStore).toBe(turns[0] && inPlaceAfter(turns[0]));
});

test("an edit and the way back, and a side prompt in between", async () => {
  const chat = newChat();
  const turns = [await chat.send(questions[0] ?? "")];
  const before = [...chat.messages];
  chat.edit(3, "And cup 4?");
  await chat.answer();
  chat.messages = before;
  const title = request(
    [...chat.messages, message("user", "Three words for this, please.")],
    { maxTokens: 8 },
    chat.id,
  );
  await turn(client, { ...title, kind: "side" });
  turns.push(await chat.send(questions[1] ?? ""));
  expect(textsOf(turns)).toEqual(textsOf(expected.slice(0, 2)));
  expect(turns[1]?.report.prefilled).toBeLessThan(40);
});

async function tested(chat: CachedChat): Promise<SelfTestResult> {
  const messages = [...chat.messages, message("user", "Thank you. And box 5?")];
  return await client.cache.selfTest({ conversationId: chat.id, messages });
}

async function talk(): Promise<CachedChat> {
  const chat = newChat();
  for (const question of questions) await chat.send(question);
  return chat;
}

test("the self-test finds the logits of the same steps, answers and all", async () => {
  const result = await tested(await talk());
  expect(result.tokens).toBeGreaterThan(600);
  expect(result).toMatchObject({ verdict: "same", isSameChoice: true, replayedTokens: result.tokens });
  expect(result.maxDifference ?? NaN).toBeLessThanOrEqual(1e-3 * (result.scale ?? NaN));
  expect(result.restoreMs).toBeLessThan(result.computeMs);
});

test("the self-test finds one cell that is not what was computed, after a restart", async () => {
  const chat = await talk();
  await client.unload();
  await client.cache.open(cacheOptions());
  expect(damageCell(join(cacheFolder, "kv.db"), chat.id)).toBeGreaterThan(0);
  await loadModel();
  expect(await client.cache.verify()).toMatchObject({ damaged: 0, failure: null });
  const result = await tested(chat);
  expect(result).toMatchObject({ verdict: "different", replayedTokens: result.tokens });
});

/** Layers of the default model, with keys and values each. */
const tensors = 2 * 30;

/** Turns the signs of one token's keys and values, and makes the checksum right. Returns how many blocks were changed. */
function damageCell(path: string, conversationId: string): number {
  const database = new Database(path);
  try {
    const block = database
      .prepare<[string], { id: number; tokens: number; payload: Buffer }>(
        `SELECT id, length(tokens) / 4 AS tokens, bytes AS payload FROM block JOIN payload ON block_id = id
         WHERE conversation_id = ? ORDER BY position DESC`,
      )
      .get(conversationId);
    if (block === undefined) return 0;
    const { id, tokens, payload } = block;
    const rowBytes = payload.length / tensors / tokens;
    for (let tensor = 0; tensor < tensors; tensor += 1) {
      const row = payload.subarray(tensor * tokens * rowBytes).subarray(0, rowBytes);
      row.forEach((byte, index) => (row[index] = index % 2 === 1 ? byte ^ 0x80 : byte));
    }
    database.prepare("UPDATE payload SET bytes = ? WHERE block_id = ?").run(payload, id);
    return database.prepare("UPDATE block SET checksum = ? WHERE id = ?").run(crc32(payload), id).changes;
  } finally {
    database.close();
  }
}
