/** What a report says after a restart: the same as without one, for kv.db remembers what was asked. */
import { expect, test } from "vitest";
import { CachedChat, cheapRestore, longText, whenStored } from "../../helpers/cached-chat.ts";
import { engineInProcess } from "../../helpers/engine-turns.ts";
import { changeKv, readKv } from "../../helpers/kv-rows.ts";
import { message } from "../../helpers/prompt-message.ts";
import { loadStored } from "../../helpers/stored-model.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });

/** Two turns of a conversation. */
async function twoTurns(id = "one"): Promise<CachedChat> {
  const chat = new CachedChat(client, id);
  await chat.send("tell me of the water");
  await chat.send("and of the house?");
  return chat;
}

const promptsIn = (kvPath: string) => readKv(kvPath, "SELECT conversation_id FROM prompt ORDER BY id").flat();

/** After a turn the next request of the engine finds that idle work was begun, and what was remembered is written. */
const whenIdle = () => client.cache.forget({ conversationId: "nobody" });

test.each([
  ["continues", (chat: CachedChat) => chat.send("more")],
  ["regenerated", (chat: CachedChat) => chat.regenerate()],
  [
    "branch",
    (chat: CachedChat) => {
      chat.edit(3, "and of the wind?");
      return chat.answer();
    },
  ],
  [
    "history-edited",
    (chat: CachedChat) => {
      chat.messages = chat.messages.with(1, message("user", "tell me of the wind"));
      return chat.send("more");
    },
  ],
  [
    "system-prompt-changed",
    (chat: CachedChat) => {
      chat.messages = chat.messages.with(0, message("system", "be brief"));
      return chat.send("more");
    },
  ],
] as const)("%s", async (kind, next) => {
  const answers: unknown[] = [];
  for (const restarts of [true, false]) {
    const { restarted } = await loadStored(client, {});
    const chat = await twoTurns();
    if (restarts) await restarted();
    const { divergence, shortfall } = (await next(chat)).report;
    expect(divergence?.kind).toBe(kind);
    answers.push([divergence, shortfall]);
  }
  expect(answers[0]).toEqual(answers[1]);
});

test("model-switched", async () => {
  const { restarted } = await loadStored(client, {});
  const chat = await twoTurns();
  await restarted(undefined, { seed: 3 });
  expect((await chat.send("more")).report.divergence).toMatchObject({ kind: "model-switched", tokenIndex: 0 });
});

test("restarts in a row forget nothing", async () => {
  const { restarted } = await loadStored(client, {});
  const chat = await twoTurns();
  const before = [...chat.messages];
  await restarted();
  await chat.send("more");
  await restarted();
  chat.messages = before.slice(0, 3);
  expect((await chat.send("and of the house?")).report.divergence?.kind).toBe("regenerated");
});

test("what the store gave up in an earlier run is known to have been evicted", async () => {
  const { restarted } = await loadStored(client, {});
  const chat = new CachedChat(client, "one");
  const left = await chat.send(longText(900));
  await new CachedChat(client, "other", { system: "something else entirely" }).send("hello");
  await whenStored(client, 900);
  await client.cache.configure({ isEnabled: true, budgetBytes: 0 });
  await restarted();
  const { shortfall, divergence } = (await chat.send("and?")).report;
  expect(shortfall).toMatchObject({ kind: "evicted" });
  expect(shortfall?.tokens).toBeGreaterThan(left.report.context.usedTokens - 300);
  expect(divergence?.kind).toBe("continues");
});

test("a turn is in the file when the engine is at rest", async () => {
  const { kvPath } = await loadStored(client, {});
  await twoTurns();
  await whenIdle();
  expect(promptsIn(kvPath)).toEqual(["one", "one"]);
});

test("a conversation that is deleted takes its prompts along, at once", async () => {
  const { kvPath } = await loadStored(client, {});
  await twoTurns("one");
  await twoTurns("two");
  await whenIdle();
  await client.cache.forget({ conversationId: "one" });
  expect(promptsIn(kvPath)).toEqual(["two", "two"]);
});

test("every conversation is named that something is left of, and none that is only a draft", async () => {
  const { kvPath, restarted } = await loadStored(client, {});
  for (const id of ["asked", "evicted", "lost"]) {
    const chat = new CachedChat(client, id, { system: `be like ${id}` });
    await chat.send(longText(300, id));
  }
  await whenStored(client, 900);
  await client.prepare({ conversationId: "draft", messages: [message("user", "what nobody has sent yet")] });
  await client.cache.configure({ isEnabled: true, budgetBytes: 0 });
  await restarted(() => {
    changeKv(kvPath, "DELETE FROM prompt WHERE conversation_id <> 'asked'");
    changeKv(kvPath, "DELETE FROM eviction WHERE entry ->> '$.conversationId' <> 'evicted'");
    changeKv(kvPath, "DELETE FROM lost_block WHERE conversation_id <> 'lost'");
  });
  expect((await client.cache.conversations()).toSorted()).toEqual(["asked", "evicted", "lost"]);
  for (const conversationId of ["asked", "evicted", "lost"]) await client.cache.forget({ conversationId });
  expect(await client.cache.conversations()).toEqual([]);
  await new CachedChat(client, "stored").send(longText(300));
  await client.cache.configure({ isEnabled: true, budgetBytes: 1e9 });
  expect(await client.cache.conversations()).toEqual(["stored"]);
});

test("so does emptying the cache, for those that are written and those that are not", async () => {
  const { kvPath, restarted } = await loadStored(client, {});
  await twoTurns();
  await client.cache.clear();
  await restarted(() => {
    expect(promptsIn(kvPath)).toEqual([]);
  });
});

test("switched off, nothing is written, and nothing is claimed afterwards", async () => {
  const { kvPath, restarted } = await loadStored(client, {}, { isEnabled: false });
  const chat = await twoTurns();
  await restarted();
  expect(promptsIn(kvPath)).toEqual([]);
  expect((await chat.send("more")).report.divergence).toBeNull();
});

test.each([
  ["tokens that are others", "UPDATE prompt SET tokens = zeroblob(length(tokens))"],
  ["half a token", "UPDATE prompt SET tokens = substr(tokens, 1, length(tokens) - 2)"],
  ["words that are no record", "UPDATE prompt SET facts = '{}'"],
])("a damaged row is dropped, and the rest stays (%s)", async (_, sql) => {
  const { kvPath, restarted } = await loadStored(client, {});
  await twoTurns("whole");
  const chat = await twoTurns("damaged");
  await restarted(() => {
    changeKv(kvPath, `${sql} WHERE conversation_id = 'damaged'`);
  });
  const { divergence } = (await chat.send("more")).report;
  expect(divergence).toBeNull();
  await whenIdle();
  expect(promptsIn(kvPath)).toEqual(["whole", "whole", "damaged"]);
});
