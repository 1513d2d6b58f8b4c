/** What a turn computes after a restart: exactly what it would have computed without one. */
import { describe, expect, test } from "vitest";
import { CachedChat, cheapRestore, inPlaceAfter, longText } from "../../helpers/cached-chat.ts";
import { engineInProcess } from "../../helpers/engine-turns.ts";
import { message } from "../../helpers/prompt-message.ts";
import { loadStored } from "../../helpers/stored-model.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });

async function nextTurn(question: string, between: () => Promise<void>) {
  const chat = new CachedChat(client, "one", { system: "" });
  const first = await chat.send(question);
  await between();
  return { kept: inPlaceAfter(first), next: (await chat.send("and?")).report };
}

/** Among them tails of a few tokens, and none: a block ends every 256 tokens behind the first few. */
describe.each(Array.from({ length: 12 }, (_, index) => index * 2))("whatever the length of the tail (%i)", (length) => {
  test("only the new tokens are computed", async () => {
    const question = `${longText(480)}${" hello".repeat(length)}`;
    await loadStored(client, {});
    const uninterrupted = await nextTurn(question, () => Promise.resolve());
    const { restarted } = await loadStored(client, {});
    const { kept, next } = await nextTurn(question, restarted);
    expect(next).toMatchObject({ prefilled: uninterrupted.next.prefilled, fromStore: kept });
  });

  test("opening the conversation puts all of it in place", async () => {
    const { restarted } = await loadStored(client, {});
    const chat = new CachedChat(client, "one", { system: "" });
    const left = await chat.send(`${longText(1_490)}${" hello".repeat(length)}`);
    await restarted();
    const messages = [...chat.messages, message("user", "and?")];
    const opened = await client.warm({ conversationId: "one", messages });
    expect(opened.tokens).toBe(inPlaceAfter(left));
  });
});
