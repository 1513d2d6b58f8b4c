import { describe, expect, test } from "vitest";
import type { AgreementEvent, AgreementInput } from "../../../src-main/contract/agreement.ts";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import { collect } from "../../helpers/collect.ts";
import { ask, begin, openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";

/** The echo engine takes all files for levels of one model; a `coarse` one says another thing at every fourth place. */
async function openLevels(...names: string[]) {
  const app = await openTestApp();
  const ids: Record<string, string> = {};
  for (const name of names)
    ids[name] = (await app.client.models.add({ path: writeModel(app.modelsFolder, `${name}.gguf`) })).id;
  const idOf = (name: string) => ids[name] ?? "";
  return { ...app, idOf };
}

const measure = async (client: AppClient, input: AgreementInput) => collect(await client.models.agreement(input));

const resultOf = (events: readonly AgreementEvent[]) => {
  const last = events.at(-1);
  return last?.type === "result" ? last.agreement : null;
};

const askedLevels = (events: readonly AgreementEvent[]) =>
  new Set(events.flatMap((event) => (event.type === "progress" ? [event.modelId] : [])));

describe("measuring", () => {
  test("holds a level against itself and against another, answer by answer", async () => {
    const { client, idOf } = await openLevels("fine", "coarse");
    const { conversationId } = await ask(client, "/count 8");
    await ask(client, "/count 6", conversationId);
    const referenceId = idOf("fine");
    const same = resultOf(await measure(client, { conversationId, modelId: referenceId, referenceId }));
    expect(same?.total).toMatchObject({ tokens: 14, agreeing: 14, share: 1 });
    const other = resultOf(await measure(client, { conversationId, modelId: idOf("coarse"), referenceId }));
    expect(other).toMatchObject({ conversationId, referenceId, modelId: idOf("coarse"), allAnswers: 2 });
    expect(other?.total).toMatchObject({ tokens: 14, agreeing: 11 });
    expect(other?.answers.map(({ figures }) => figures.agreeing)).toEqual([6, 5]);
  });

  test("asks once, and later only about new answers", async () => {
    const { client, idOf } = await openLevels("fine", "coarse");
    const { conversationId } = await ask(client, "/count 8");
    const input = { conversationId, modelId: idOf("coarse"), referenceId: idOf("fine") };
    expect(askedLevels(await measure(client, input)).size).toBe(2);
    expect(askedLevels(await measure(client, input)).size).toBe(0);
    await ask(client, "/count 4", conversationId);
    const events = await measure(client, input);
    // The prompt of the second answer is read from where the first one ended.
    const reading = events.filter((event) => event.type === "progress" && event.totalTokens > 0);
    expect(reading).toHaveLength(2);
    expect(resultOf(events)?.total).toMatchObject({ tokens: 12, agreeing: 9 });
  });

  test("asks again where the prompt is another, and where the level is loaded in another way", async () => {
    const { client, idOf } = await openLevels("fine", "coarse");
    const { conversationId } = await ask(client, "/count 8");
    const input = { conversationId, modelId: idOf("coarse"), referenceId: idOf("fine") };
    await measure(client, input);
    await client.conversations.update({ conversationId, patch: { systemPrompt: "Be brief." } });
    expect(askedLevels(await measure(client, input)).size).toBe(2);
    await client.models.updateFile({ modelId: idOf("coarse"), patch: { keyType: "q8_0" } });
    expect(askedLevels(await measure(client, input))).toEqual(new Set([idOf("coarse")]));
  });

  test("leaves the conversation's own model loaded", async () => {
    const { client, idOf } = await openLevels("fine", "coarse");
    const { conversationId } = await ask(client, "/count 8");
    const before = (await client.status.get()).engine;
    await measure(client, { conversationId, modelId: idOf("coarse"), referenceId: idOf("fine") });
    const own = before.state === "ready" ? before.modelId : "";
    const status = await client.status.watch();
    await until(status, ({ engine }) => engine.state === "ready" && engine.modelId === own);
  });

  test("gives way to an answer, and goes on after it", async () => {
    const { client, idOf } = await openLevels("fine", "coarse");
    const { conversationId } = await ask(client, "/count 8");
    const { messageId, events } = await begin(client, "/count 5 20");
    const measured = measure(client, { conversationId, modelId: idOf("coarse"), referenceId: idOf("fine") });
    await until(events, (event) => event.type === "finished" && event.message.id === messageId);
    const all = await measured;
    expect(all).toContainEqual(expect.objectContaining({ type: "progress", phase: "waiting" }));
    expect(resultOf(all)?.total.tokens).toBe(8);
  });

  test("is of the template that is set when a level is asked", async () => {
    const { client, idOf } = await openLevels("fine", "coarse");
    const { conversationId } = await ask(client, "/count 8");
    const { generationId } = await begin(client, "/hold", 0);
    const input = { conversationId, modelId: idOf("coarse"), referenceId: idOf("fine") };
    const measured = await client.models.agreement(input);
    await until(measured, (event) => event.type === "progress" && event.phase === "waiting");
    const [familyId] = (await client.models.list()).flatMap((file) => file.familyId ?? []);
    const setTemplate = (chatTemplate: string | null) =>
      client.models.updateFamily({ familyId: String(familyId), patch: { chatTemplate } });
    await setTemplate("another");
    await client.chat.stop({ generationId });
    expect(resultOf(await collect(measured))?.total.tokens).toBe(8);
    expect(askedLevels(await measure(client, input)).size).toBe(0);
    await setTemplate(null);
    expect(askedLevels(await measure(client, input)).size).toBe(2);
  });

  test("ends where the conversation is deleted", async () => {
    const { client, idOf } = await openLevels("fine", "coarse");
    const { conversationId } = await ask(client, "/count 8");
    const { generationId } = await begin(client, "/hold", 0);
    const measured = await client.models.agreement({
      conversationId,
      modelId: idOf("coarse"),
      referenceId: idOf("fine"),
    });
    await until(measured, (event) => event.type === "progress" && event.phase === "waiting");
    await client.conversations.delete({ conversationId });
    await client.chat.stop({ generationId });
    await expect(collect(measured)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("keeps what was said when it is cancelled", async () => {
    const { client, idOf } = await openLevels("fine", "slow");
    const { conversationId } = await ask(client, "/count 8");
    const cancel = new AbortController();
    const input = { conversationId, modelId: idOf("slow"), referenceId: idOf("fine") };
    const events = await client.models.agreement(input, { signal: cancel.signal });
    const isReading = (event: AgreementEvent) =>
      event.type === "progress" && event.modelId === idOf("slow") && event.totalTokens > 0;
    await until(events, isReading);
    cancel.abort();
    await events.return();
    // The reference was asked already.
    const again = { ...input, modelId: idOf("fine") };
    expect(askedLevels(await measure(client, again)).size).toBe(0);
  });

  test("is refused for files of which nobody knows that they are one model", async () => {
    const { client, idOf } = await openLevels("fine");
    const { conversationId } = await ask(client, "/count 8");
    await expect(measure(client, { conversationId, modelId: idOf("fine"), referenceId: "nobody" })).rejects.toThrow(
      /not on the list/,
    );
  });
});

describe("what is known without asking", () => {
  test("is of the levels that were asked", async () => {
    const { client, idOf, launched } = await openLevels("fine", "coarse", "other");
    const { conversationId } = await ask(client, "/count 8");
    const referenceId = idOf("fine");
    expect(await client.models.knownAgreements({ conversationId, referenceId })).toEqual([]);
    await measure(client, { conversationId, modelId: idOf("coarse"), referenceId });
    const known = await client.models.knownAgreements({ conversationId, referenceId });
    expect(known).toMatchObject([{ modelId: idOf("coarse"), total: { tokens: 8, agreeing: 6 } }]);
    expect(launched).toHaveLength(1);
  });
});
