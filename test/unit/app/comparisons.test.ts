import { describe, expect, test } from "vitest";
import type { ComparisonEvent, ComparisonInput } from "../../../src-main/contract/comparison.ts";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import { newId } from "../../../src-main/contract/id.ts";
import { collect } from "../../helpers/collect.ts";
import { ask, begin, openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";

async function openModels(...names: string[]) {
  const app = await openTestApp();
  const ids = new Map<string, string>();
  for (const name of names)
    ids.set(name, (await app.client.models.add({ path: writeModel(app.modelsFolder, `${name}.gguf`) })).id);
  return { ...app, idOf: (name: string) => ids.get(name) ?? "" };
}

const compare = async (client: AppClient, input: ComparisonInput) => collect(await client.models.compare(input));

const textOf = (events: readonly ComparisonEvent[], side: number) =>
  events.map((event) => (event.type === "delta" && event.side === side ? event.text : "")).join("");

const idIn = (events: readonly ComparisonEvent[]) => {
  const [first] = events;
  return first?.type === "began" ? first.comparisonId : "";
};

const isDelta = (event: ComparisonEvent) => event.type === "delta";

describe("comparing", () => {
  test("gives both the conversation and the message, and stores nothing", async () => {
    const { client, idOf } = await openModels("fine", "coarse");
    const { conversationId } = await ask(client, "hello");
    const before = await client.conversations.get({ conversationId });
    const modelIds: [string, string] = [idOf("fine"), idOf("coarse")];
    const events = await compare(client, { conversationId, text: "/prompt", modelIds });
    expect(JSON.parse(textOf(events, 0))).toMatchObject([
      { role: "user", content: "hello" },
      { role: "assistant", content: "You said: hello" },
      { role: "user", content: "/prompt" },
    ]);
    expect(events).toContainEqual({ type: "plan", isTogether: true });
    expect(events.filter(({ type }) => type === "finished")).toHaveLength(2);
    expect(await client.conversations.get({ conversationId })).toEqual(before);
  });

  test("tells both sides as they are written, each with its report, in the order they were asked for", async () => {
    const { client, idOf } = await openModels("fine", "coarse");
    const { conversationId } = await ask(client, "hello");
    const modelIds: [string, string] = [idOf("coarse"), idOf("fine")];
    const events = await compare(client, { conversationId, text: "one two three", modelIds });
    expect(textOf(events, 1)).toBe("You said: one two three");
    expect(textOf(events, 0)).toBe("You said: ONE! two three");
    const finished = events.flatMap((event) => (event.type === "finished" ? [event] : []));
    expect(finished.map(({ side }) => side).sort()).toEqual([0, 1]);
    expect(finished.every(({ report }) => report.outputTokens === 5)).toBe(true);
    const order = events.filter(isDelta).map(({ side }) => side);
    expect(new Set(order.slice(0, 2)).size).toBe(2);
  });

  test("is one after the other where they do not fit into memory together", async () => {
    const { client, idOf } = await openModels("fine", "large");
    const { conversationId } = await ask(client, "hello");
    const modelIds: [string, string] = [idOf("large"), idOf("fine")];
    const events = await compare(client, { conversationId, text: "one two", modelIds });
    expect(events).toContainEqual({ type: "plan", isTogether: false });
    expect([textOf(events, 0), textOf(events, 1)]).toEqual(["You said: one two", "You said: one two"]);
    const sides = events.filter(isDelta).map(({ side }) => side);
    expect(new Set(sides.slice(0, 4)).size).toBe(1);
  });

  test("draws the same numbers for both", async () => {
    const { client, idOf } = await openModels("fine", "other");
    const { conversationId } = await ask(client, "hello");
    const modelIds: [string, string] = [idOf("fine"), idOf("other")];
    const events = await compare(client, { conversationId, text: "/request", modelIds });
    const seeds = [0, 1].map(
      (side) => (JSON.parse(textOf(events, side)) as { sampling: { seed: number } }).sampling.seed,
    );
    expect(seeds[0]).toBe(seeds[1]);
    expect(seeds[0]).toBeTypeOf("number");
  });

  test("tells what went wrong with both", async () => {
    const { client, idOf } = await openModels("fine", "other");
    const { conversationId } = await ask(client, "hello");
    const events = await compare(client, { conversationId, text: "/fail", modelIds: [idOf("fine"), idOf("other")] });
    expect(events.filter(({ type }) => type === "failed")).toHaveLength(2);
  });

  test("leaves out old turns where the conversation allows it, and says that it is too long where not", async () => {
    const { client, idOf } = await openModels("fine", "other");
    const { conversationId } = await ask(client, `first ${"word ".repeat(200)}`);
    const modelIds: [string, string] = [idOf("fine"), idOf("other")];
    const input = { conversationId, text: "word ".repeat(150).trim(), modelIds };
    await expect(compare(client, input)).rejects.toMatchObject({ code: "CONTEXT_FULL" });
    await client.conversations.update({ conversationId, patch: { overflowPolicy: "drop-oldest" } });
    const events = await compare(client, input);
    expect(events.filter(({ type }) => type === "finished")).toHaveLength(2);
  });

  test("is asked of both again, with less of it, where it is too long for one", async () => {
    const { client, idOf } = await openModels("fine", "narrow");
    const { conversationId } = await ask(client, "hello");
    await client.conversations.update({ conversationId, patch: { overflowPolicy: "drop-oldest" } });
    const modelIds: [string, string] = [idOf("fine"), idOf("narrow")];
    const events = await compare(client, { conversationId, text: "/count 4 50", modelIds });
    expect(events.filter(({ type }) => type === "finished")).toHaveLength(2);
    expect([textOf(events, 0), textOf(events, 1)]).toEqual(["1 2 3 4 ", "1 2 3 4 "]);
  });

  test("is stopped with what there is of both", async () => {
    const { client, idOf } = await openModels("fine", "other");
    const { conversationId } = await ask(client, "hello");
    const modelIds: [string, string] = [idOf("fine"), idOf("other")];
    const events = await client.models.compare({ conversationId, text: "/count 500 20", modelIds });
    const began = await until(events, ({ type }) => type === "began");
    await until(events, isDelta);
    await client.models.stopComparison({ comparisonId: idIn([began]) });
    const rest = await collect(events);
    const reasons = rest.flatMap((event) => (event.type === "finished" ? [event.report.stopReason] : []));
    expect(reasons).toEqual(["stopped", "stopped"]);
  });

  test("is refused for one model twice, and while an answer is written", async () => {
    const { client, idOf } = await openModels("fine", "other");
    const { conversationId } = await ask(client, "hello");
    const twice: [string, string] = [idOf("fine"), idOf("fine")];
    await expect(compare(client, { conversationId, text: "hi", modelIds: twice })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
    await begin(client, "/hold", 0, conversationId);
    const modelIds: [string, string] = [idOf("fine"), idOf("other")];
    await expect(compare(client, { conversationId, text: "hi", modelIds })).rejects.toMatchObject({
      code: "ALREADY_GENERATING",
    });
  });

  test("is of a conversation that has not begun too", async () => {
    const { client, idOf } = await openModels("fine", "other");
    const input = { conversationId: newId(), text: "hi", newConversation: { systemPrompt: "" } };
    const events = await compare(client, { ...input, modelIds: [idOf("fine"), idOf("other")] });
    expect(textOf(events, 0)).toBe("You said: hi");
    expect(await client.conversations.list()).toEqual([]);
  });
});

describe("keeping one of the answers", () => {
  test("makes it the conversation's, with the model that wrote it, where the conversation was", async () => {
    const { client, idOf } = await openModels("fine", "coarse");
    const { conversationId, id: before } = await ask(client, "hello");
    const modelIds: [string, string] = [idOf("fine"), idOf("coarse")];
    const events = await compare(client, { conversationId, text: "one two three", modelIds });
    const kept = await client.models.keepCompared({ comparisonId: idIn(events), side: 1 });
    const { messages, conversation } = await client.conversations.get({ conversationId });
    expect(messages.slice(2)).toMatchObject([
      { id: kept.userMessageId, role: "user", content: "one two three", parentId: before },
      {
        id: kept.messageId,
        role: "assistant",
        content: "You said: ONE! two three",
        status: "complete",
        modelName: "coarse",
      },
    ]);
    expect(messages.at(-1)?.modelId).toBe(idOf("coarse"));
    expect(messages.at(-1)?.report?.outputTokens).toBe(5);
    expect(conversation.activeLeafId).toBe(kept.messageId);
    // The other one is gone.
    await expect(client.models.keepCompared({ comparisonId: idIn(events), side: 0 })).rejects.toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test("names a conversation that had no name, and is seen by who watches", async () => {
    const { client, idOf } = await openModels("fine", "other");
    const { id: conversationId } = await client.conversations.create({});
    const watched = await client.chat.watch({ conversationId });
    await watched.next();
    const modelIds: [string, string] = [idOf("fine"), idOf("other")];
    const events = await compare(client, { conversationId, text: "a good name", modelIds });
    await client.models.keepCompared({ comparisonId: idIn(events), side: 0 });
    const seen = await until(watched, (event) => event.type === "thread");
    expect(seen).toMatchObject({ thread: { conversation: { title: "a good name" }, messages: [{}, {}] } });
    await watched.return();
  });

  test("is refused for a side that wrote nothing", async () => {
    const { client, idOf } = await openModels("fine", "other");
    const { conversationId } = await ask(client, "hello");
    const events = await compare(client, { conversationId, text: "/fail", modelIds: [idOf("fine"), idOf("other")] });
    await expect(client.models.keepCompared({ comparisonId: idIn(events), side: 0 })).rejects.toMatchObject({
      code: "INVALID_INPUT",
    });
  });
});
