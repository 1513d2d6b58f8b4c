/** The real default model in a context that grows with the conversation. */
import { expect, test } from "vitest";
import { newId } from "../../src-main/contract/id.ts";
import { CachedChat, inPlaceAfter } from "../helpers/cached-chat.ts";
import { defaultModelPath } from "../helpers/default-model.ts";
import { engineInProcess, load } from "../helpers/engine-turns.ts";

const memory = { freeBytes: 0, totalBytes: 0 };
const client = engineInProcess({ freeMemory: () => ({ ...memory }) });

const facts = (subject: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${subject} ${index} is kept on shelf ${(index * 7) % 31}.`).join(" ");
const questions = [`${facts("Box", 120)} Where is box 3?`, `${facts("Cup", 70)} Where is cup 4?`, "And box 5?"];

/** How much memory there is while the first question is answered; plenty afterwards. Nothing is stored. */
async function answers(memoryAtFirst: "short" | "plenty") {
  // One that is in memory would be gone on with as it is.
  await client.unload();
  memory.freeBytes = memoryAtFirst === "plenty" ? 1e12 : 0;
  const { model } = await load(client, await defaultModelPath(), { contextTokens: null });
  const chat = new CachedChat(client, newId(), { maxTokens: 40 });
  const turns = [await chat.send(questions[0] ?? "")];
  memory.freeBytes = 1e12;
  for (const question of questions.slice(1)) turns.push(await chat.send(question));
  return { contextTokens: model.contextTokens, turns };
}

test("it answers token for token as in a context that was large from the start, and computes nothing again", async () => {
  const large = await answers("plenty");
  const grown = await answers("short");
  expect([large.contextTokens, grown.contextTokens]).toEqual([8_192, 2_048]);
  expect(grown.turns.map(({ text }) => text)).toEqual(large.turns.map(({ text }) => text));
  const [first, second, third] = grown.turns.map((turn) => ({ ...turn.report, inPlaceAfter: inPlaceAfter(turn) }));
  expect(first?.context.sizeTokens).toBe(2_048);
  expect(second).toMatchObject({
    fromResident: first?.inPlaceAfter,
    context: { sizeTokens: 4_096, limitTokens: 8_192 },
    memory: { kvAllocated: 4_096 * 23_040 },
  });
  expect(second?.promptTokens).toBeGreaterThan(2_048);
  expect(third?.fromResident).toBe(second?.inPlaceAfter);
});
