/** What a turn computes after a restart: exactly what it would have computed without one. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CachedChat, cheapRestore, longText } from "../../helpers/cached-chat.ts";
import { cacheOptions, engineInProcess, load } from "../../helpers/engine-turns.ts";
import { message } from "../../helpers/prompt-message.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../../helpers/tiny-gguf.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });
const store = { isEnabled: true, budgetBytes: 1e9 };

/** Begins with an empty file. Returns what ends the engine's memory of everything but the file, as a restart does. */
async function loadStored(): Promise<() => Promise<void>> {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"));
  const cacheFolder = temporaryFolder();
  const start = () => load(client, path, { contextTokens: 2_048, cacheFolder, store });
  await start();
  return async () => {
    await client.unload();
    await client.cache.open(cacheOptions());
    await start();
  };
}

async function nextTurn(question: string, between: () => Promise<void>) {
  const chat = new CachedChat(client, "one", { system: "" });
  const { report: first } = await chat.send(question);
  await between();
  return { first, next: (await chat.send("and?")).report };
}

/** Among them tails of a few tokens, and none: a block ends every 256 tokens behind the first few. */
describe.each(Array.from({ length: 12 }, (_, index) => index * 2))("whatever the length of the tail (%i)", (length) => {
  test("only the new tokens are computed", async () => {
    const question = `${longText(480)}${" hello".repeat(length)}`;
    await loadStored();
    const uninterrupted = await nextTurn(question, () => Promise.resolve());
    const restart = await loadStored();
    const { first, next } = await nextTurn(question, restart);
    expect(next).toMatchObject({ prefilled: uninterrupted.next.prefilled, fromStore: first.context.usedTokens });
  });

  test("opening the conversation puts all of it in place", async () => {
    const restart = await loadStored();
    const chat = new CachedChat(client, "one", { system: "" });
    const { report } = await chat.send(`${longText(1_490)}${" hello".repeat(length)}`);
    await restart();
    const messages = [...chat.messages, message("user", "and?")];
    const opened = await client.warm({ conversationId: "one", messages });
    expect(opened.tokens).toBe(report.context.usedTokens);
  });
});
