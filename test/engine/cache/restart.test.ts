/** The engine in a process of its own: ended in order, and killed. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { connectEngine } from "../../../src-main/engine-host/engine-connection.ts";
import { forkEngine } from "../../../src-main/engine-host/fork-engine.ts";
import { CachedChat, cacheStateWhen, inPlaceAfter, longText } from "../../helpers/cached-chat.ts";
import { load } from "../../helpers/engine-turns.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../../helpers/tiny-gguf.ts";

const entry = fileURLToPath(new URL("../../../src-main/engine/entry.ts", import.meta.url));

async function startEngine(path: string, cacheFolder: string) {
  const child = forkEngine({ entry })();
  const connection = connectEngine(child);
  onTestFinished(async () => {
    connection.kill("the test is over");
    await connection.ended;
  });
  await load(connection.client, path, {
    contextTokens: 2_048,
    cacheFolder,
    store: { isEnabled: true, budgetBytes: 1e9 },
  });
  return connection;
}

/** Restoring must be worth it: a model whose layers take their time. */
const model = { layers: 24 };

test.each([
  ["ended in order, it has stored all of a conversation", "shutdown"],
  ["killed, it has stored what was written", "kill"],
] as const)("%s, and goes on token for token", async (_, end) => {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), model);
  const cacheFolder = temporaryFolder();
  const before = await startEngine(path, cacheFolder);
  const chat = new CachedChat(before.client, "one");
  const left = await chat.send(longText(900));
  const { usedTokens } = left.report.context;
  let storedTokens = inPlaceAfter(left);
  if (end === "kill") {
    storedTokens = (await cacheStateWhen(before.client, ({ store }) => store.tokens >= 768)).store.tokens;
    before.kill("the test kills it");
  } else await before.client.shutdown();
  await before.ended;
  const after = await startEngine(path, cacheFolder);
  const resumed = new CachedChat(after.client, "one");
  resumed.messages = [...chat.messages];
  const back = await resumed.send("and then?");
  const cold = await startEngine(path, temporaryFolder());
  const uninterrupted = new CachedChat(cold.client, "one");
  await uninterrupted.send(longText(900));
  const expected = await uninterrupted.send("and then?");
  expect(back.text).toBe(expected.text);
  const missing = inPlaceAfter(left) - storedTokens;
  expect(missing).toBeLessThan(256);
  expect(back.report).toMatchObject({
    fromStore: storedTokens,
    prefilled: expected.report.prefilled + missing,
    divergence: { kind: "continues" },
    shortfall: { tokens: Math.max(0, usedTokens - storedTokens) },
  });
});

test.each(["recurrent", "hybrid"] as const)(
  "killed, a %s model has the snapshots that were written",
  async (variant) => {
    const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { ...model, variant });
    const cacheFolder = temporaryFolder();
    const before = await startEngine(path, cacheFolder);
    const chat = new CachedChat(before.client, "one");
    const left = await chat.send(longText(900));
    const uninterrupted = new CachedChat(before.client, "one");
    uninterrupted.messages = [...chat.messages];
    const expected = await uninterrupted.send("and then?");
    // Leaving a conversation makes its snapshots due.
    await new CachedChat(before.client, "two", { system: "be brief" }).send("hello");
    await cacheStateWhen(before.client, ({ store }) => store.tokens > 2 * 900);
    before.kill("the test kills it");
    await before.ended;
    const after = await startEngine(path, cacheFolder);
    const resumed = new CachedChat(after.client, "one");
    resumed.messages = [...chat.messages];
    const back = await resumed.send("and then?");
    expect(back.text).toBe(expected.text);
    expect(back.report.fromStore).toBeGreaterThanOrEqual(left.report.promptTokens - 1);
  },
);
