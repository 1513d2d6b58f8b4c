/** Whatever happens to a conversation between two turns, it goes on token for token as if nothing had. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CachedChat, cheapRestore, inPlaceAfter, longText } from "../../helpers/cached-chat.ts";
import { cacheOptions, engineInProcess, request, turn } from "../../helpers/engine-turns.ts";
import { message } from "../../helpers/prompt-message.ts";
import { storedChats } from "../../helpers/stored-chats.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "../../helpers/tiny-gguf.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });

const { loadStored, uninterrupted } = storedChats(client);

const first = longText(600);
const second = "and then?";

describe("the same tokens come from the cells and from the store", () => {
  test("the next turn computes only what is new", async () => {
    const expected = await uninterrupted([first, second]);
    await loadStored();
    const chat = new CachedChat(client, "one");
    const answers = [await chat.send(first), await chat.send(second)];
    expect(answers.map(({ text }) => text)).toEqual(expected);
    const [asked] = answers;
    expect(answers[1]?.report).toMatchObject({
      fromResident: asked && inPlaceAfter(asked),
      fromStore: 0,
      fromShared: 0,
      divergence: { kind: "continues", tokenIndex: asked?.report.context.usedTokens },
      shortfall: { kind: "none", tokens: 0 },
    });
  });

  test("a conversation that was left for another one comes back from the store", async () => {
    const expected = await uninterrupted([first, second]);
    await loadStored();
    const [chat, other] = [new CachedChat(client, "one"), new CachedChat(client, "two", { system: "be brief" })];
    const left = await chat.send(first);
    await other.send(longText(400, "water"));
    const back = await chat.send(second);
    expect([left.text, back.text]).toEqual(expected);
    expect(back.report.fromStore + back.report.fromResident).toBe(inPlaceAfter(left));
    expect(back.report.fromStore).toBeGreaterThan(550);
    expect(back.report.shortfall).toMatchObject({ kind: "none" });
  });

  test("back and forth among three, each goes on where it was", async () => {
    const expected = await uninterrupted([first, second, "more"]);
    await loadStored();
    const chats = ["one", "two", "three"].map((id) => new CachedChat(client, id));
    const answers = new Map<string, string[]>();
    for (const text of [first, second, "more"]) {
      for (const chat of chats) {
        const answer = await chat.send(text);
        answers.set(chat.id, [...(answers.get(chat.id) ?? []), answer.text]);
        expect(answer.report.shortfall?.kind).toBe("none");
      }
    }
    expect([...answers.values()]).toEqual([expected, expected, expected]);
  });

  test("a restart finds it in the file, tail included", async () => {
    const expected = await uninterrupted([first, second]);
    const loadAgain = await loadStored();
    const chat = new CachedChat(client, "one");
    const left = await chat.send(first);
    await client.unload();
    // Another folder: the file of the first is closed.
    await client.cache.open(cacheOptions());
    await loadAgain();
    const back = await chat.send(second);
    expect([left.text, back.text]).toEqual(expected);
    expect(back.report).toMatchObject({ fromStore: inPlaceAfter(left), fromResident: 0 });
  });

  test("another model in between leaves what is stored as it was", async () => {
    const expected = await uninterrupted([first, second]);
    const loadAgain = await loadStored();
    const chat = new CachedChat(client, "one");
    const left = await chat.send(first);
    const otherPath = await writeTinyGguf(join(temporaryFolder(), "other.gguf"), { seed: 9 });
    await loadAgain(otherPath);
    const elsewhere = await chat.regenerate();
    expect(elsewhere.report).toMatchObject({ fromResident: 0, fromStore: 0, divergence: { kind: "model-switched" } });
    await client.unload();
    await loadAgain();
    chat.messages = [...chat.messages.slice(0, -1), message("assistant", left.text, left.answerTokens)];
    const back = await chat.send(second);
    expect([left.text, back.text]).toEqual(expected);
    expect(back.report.fromStore).toBe(inPlaceAfter(left));
  });
});

describe("branches", () => {
  test("the same question again computes one token, and another answer goes on from the same cells", async () => {
    const expected = await uninterrupted([first]);
    await loadStored();
    const chat = new CachedChat(client, "one");
    await chat.send(first);
    const again = await chat.regenerate();
    expect([again.text]).toEqual(expected);
    expect(again.report).toMatchObject({ prefilled: 1, divergence: { kind: "regenerated" } });
  });

  test("an edit keeps what is before it, and the way back finds everything", async () => {
    const [, answer] = await uninterrupted([first, second]);
    const [, edited] = await uninterrupted([first, "something else"]);
    await loadStored();
    const chat = new CachedChat(client, "one");
    await chat.send(first);
    const before = [...chat.messages];
    await chat.send(second);
    const original = chat.edit(3, "something else");
    const branch = await chat.answer();
    expect(branch.text).toBe(edited);
    expect(branch.report.divergence?.kind).toBe("branch");
    expect(branch.report.prefilled).toBeLessThan(40);
    chat.messages = [...before, message("user", second)];
    const back = await chat.answer();
    expect(back.text).toBe(answer);
    expect(back.report).toMatchObject({ prefilled: 1 });
    expect(chat.messages).toEqual(original);
  });
});

/** Two questions after the same beginning, back to the first one, and on. `between` comes before going on. */
async function thereAndBack(between: (chat: CachedChat) => Promise<void>): Promise<string> {
  await loadStored();
  const chat = new CachedChat(client, "one");
  await chat.send(longText(300));
  const before = [...chat.messages];
  await chat.send(longText(200, "water"));
  const branch = [...chat.messages];
  chat.messages = [...before];
  await chat.send("something else");
  chat.messages = branch;
  await between(chat);
  return (await chat.send("more")).text;
}

test("cells released in the middle do not change what comes behind", async () => {
  await loadStored();
  const chat = new CachedChat(client, "one");
  await chat.send(longText(300));
  await chat.send(longText(200, "water"));
  const expected = (await chat.send("more")).text;
  expect(await thereAndBack(() => Promise.resolve())).toBe(expected);
  const other = longText(400, "rule");
  const evicted = await thereAndBack(async (branched) => {
    const back = [...branched.messages];
    branched.messages = [...back.slice(0, 2), message("user", other)];
    await branched.answer();
    branched.messages = back;
  });
  expect(evicted).toBe(expected);
});

describe("what two conversations have in common is computed once", () => {
  test("the system prompt of a new chat, whole", async () => {
    const system = longText(500, "rule");
    await loadStored();
    const [chat, other] = [new CachedChat(client, "one", { system }), new CachedChat(client, "two", { system })];
    await chat.send("hello");
    const answer = await other.send("water");
    expect(answer.report.fromShared).toBeGreaterThan(490);
    expect(answer.report.prefilled).toBeLessThan(30);
    await loadStored();
    expect((await new CachedChat(client, "three", { system }).send("water")).text).toBe(answer.text);
  });

  test("a document pasted into both, from the store after a third one", async () => {
    const document = longText(900, "water");
    await loadStored();
    await new CachedChat(client, "one").send(`${document}\nfirst question`);
    await new CachedChat(client, "other", { system: "be brief" }).send(longText(300));
    const answer = await new CachedChat(client, "two").send(`${document}\nanother question`);
    expect(answer.report.fromShared).toBeGreaterThan(880);
    expect(answer.report.prefilled).toBeLessThan(40);
    await loadStored();
    expect((await new CachedChat(client, "two").send(`${document}\nanother question`)).text).toBe(answer.text);
  });
});

describe("ahead of the user", () => {
  test("a draft that was computed while it was typed is gone on from", async () => {
    const question = `${longText(700, "water")} what is it?`;
    const [, expected] = await uninterrupted(["hello", question]);
    await loadStored();
    const chat = new CachedChat(client, "one");
    await chat.send("hello");
    const draft = { conversationId: "one", messages: [...chat.messages, message("user", question.slice(0, -4))] };
    const { tokens } = await client.prepare(draft);
    const sent = await chat.send(question);
    expect(tokens).toBeGreaterThan(690);
    expect(sent.report.preparedTokens).toBeGreaterThan(680);
    expect(sent.report.prefilled).toBeLessThan(30);
    expect(sent.text).toBe(expected);
  });

  test("a draft is never stored, and does not cost the conversation behind it anything", async () => {
    await loadStored();
    const chat = new CachedChat(client, "one");
    await chat.send(first);
    await client.prepare({
      conversationId: "one",
      messages: [...chat.messages, message("user", longText(600, "water"))],
    });
    await new CachedChat(client, "two").send("hello");
    const abandoned = await chat.send(`${longText(600, "water")} x`);
    expect(abandoned.report.preparedTokens).toBe(0);
    expect(abandoned.report.prefilled).toBeGreaterThan(590);
    expect(abandoned.report.shortfall).toMatchObject({ kind: "none", tokens: 0 });
  });

  test("an opened conversation is in place before the message comes", async () => {
    const expected = await uninterrupted([first, second]);
    await loadStored();
    const chat = new CachedChat(client, "one");
    const left = await chat.send(first);
    await new CachedChat(client, "two", { system: "be brief" }).send("hello");
    const { tokens } = await client.warm({ conversationId: "one", messages: chat.messages });
    expect(tokens).toBe(inPlaceAfter(left));
    const back = await chat.send(second);
    expect(back.report).toMatchObject({ fromStore: 0, fromResident: tokens });
    expect([left.text, back.text]).toEqual(expected);
  });

  test("a prefill that was stopped goes on where it was", async () => {
    const long = longText(1_200);
    const [expected] = await uninterrupted([long]);
    await loadStored();
    const chat = new CachedChat(client, "one");
    const stopped = await chat.send(long, ({ generationId }) => client.stop({ generationId }));
    expect(stopped.report.stopReason).toBe("stopped");
    const resumed = await chat.answer();
    expect(resumed.report.fromResident).toBe(stopped.report.context.usedTokens);
    expect(resumed.text).toBe(expected);
  });
});

test("a side prompt leaves the conversation as it was", async () => {
  const expected = await uninterrupted([first, second]);
  await loadStored();
  const chat = new CachedChat(client, "one");
  const left = await chat.send(first);
  const title = request([...chat.messages, message("user", "a title for this, please")], {}, "one");
  const side = await turn(client, { ...title, kind: "side" });
  expect(side.report.prefilled).toBeLessThan(50);
  expect(side.report.context.usedTokens).toBeGreaterThanOrEqual(side.report.promptTokens);
  const next = await chat.send(second);
  expect([left.text, next.text]).toEqual(expected);
  expect(next.report.fromResident).toBe(inPlaceAfter(left));
});

describe("a model with a sliding window", () => {
  const model: TinyModelOptions = { variant: "sliding-window", windowTokens: 64 };

  test("comes back from a snapshot of its last turn, or is computed, and is never wrong", async () => {
    const expected = await uninterrupted([first, second], model);
    await loadStored(model);
    const chat = new CachedChat(client, "one");
    const left = await chat.send(first);
    await new CachedChat(client, "two").send(longText(300, "water"));
    const back = await chat.send(second);
    expect([left.text, back.text]).toEqual(expected);
    expect(back.report.fromStore).toBe(left.report.context.usedTokens);
  });

  test("a restart finds the snapshot", async () => {
    const expected = await uninterrupted([first, second], model);
    const loadAgain = await loadStored(model);
    const chat = new CachedChat(client, "one");
    const left = await chat.send(first);
    await client.unload();
    await client.cache.open(cacheOptions());
    await loadAgain();
    const back = await chat.send(second);
    expect([left.text, back.text]).toEqual(expected);
    expect(back.report.fromStore).toBe(left.report.context.usedTokens);
  });

  test("an edit far back cannot be gone on from, and it says so", async () => {
    await loadStored(model);
    const chat = new CachedChat(client, "one");
    await chat.send(`${first} yes`);
    chat.edit(1, `${first} no`);
    const edited = await chat.answer();
    const [expected] = await uninterrupted([`${first} no`], model);
    expect(edited.text).toBe(expected);
  });

  test("a side prompt leaves the conversation as it was", async () => {
    const expected = await uninterrupted([first, second], model);
    await loadStored(model);
    const chat = new CachedChat(client, "one");
    const left = await chat.send(first);
    const title = request([message("user", "a title, please")], {}, "one");
    await turn(client, { ...title, kind: "side" });
    const next = await chat.send(second);
    expect([left.text, next.text]).toEqual(expected);
  });
});
