/** Models whose state cannot be taken back: whatever happens between two turns, they go on as if nothing had. */
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { CachedChat, cacheStateWhen, cheapRestore, longText } from "../../helpers/cached-chat.ts";
import { engineInProcess, request, turn } from "../../helpers/engine-turns.ts";
import { message } from "../../helpers/prompt-message.ts";
import { mambaStateBytes } from "../../helpers/tiny-recurrent.ts";
import { loadStored, uninterrupted, type StoredModel } from "../../helpers/stored-model.ts";

const client = engineInProcess({ fixedCosts: cheapRestore });

const first = longText(600);
const second = "and then?";
const third = "more";

/** What is said after these questions, with nothing in between: asked for once. */
const answered = new Map<string, string[]>();

describe.each([
  { variant: "recurrent" },
  { variant: "hybrid" },
  { variant: "sliding-window", windowTokens: 64 },
] as const)("$variant", (model) => {
  async function expected(...texts: readonly string[]): Promise<string[]> {
    const key = JSON.stringify([model, texts]);
    const known = answered.get(key) ?? (await uninterrupted(client, model, texts));
    answered.set(key, known);
    return known;
  }

  async function begin(options?: Parameters<typeof loadStored>[2]): Promise<StoredModel & { one: CachedChat }> {
    return { ...(await loadStored(client, model, options)), one: new CachedChat(client, "one") };
  }

  /** Something else in the cells, so that a conversation has to come from the store. */
  async function displace(): Promise<void> {
    await new CachedChat(client, "elsewhere", { system: "be brief" }).send(longText(200, "water"));
  }

  test("the next turn computes only what is new", async () => {
    const answers = await expected(first, second);
    const { one } = await begin();
    const left = await one.send(first);
    const next = await one.send(second);
    expect([left.text, next.text]).toEqual(answers);
    expect(next.report).toMatchObject({
      fromResident: left.report.context.usedTokens,
      fromStore: 0,
      divergence: { kind: "continues" },
      shortfall: { kind: "none", tokens: 0 },
    });
  });

  test("back and forth among three, each goes on where it was", async () => {
    const answers = await expected(first, second, third);
    await begin();
    const chats = ["one", "two", "three"].map((id) => new CachedChat(client, id));
    const said = new Map<string, string[]>();
    for (const text of [first, second, third]) {
      for (const chat of chats) {
        const answer = await chat.send(text);
        said.set(chat.id, [...(said.get(chat.id) ?? []), answer.text]);
        expect(answer.report.shortfall?.tokens).toBeLessThan(40);
        expect(answer.report.prefilled).toBeLessThan(text === first && chat.id === "one" ? Infinity : 40);
      }
    }
    expect([...said.values()]).toEqual([answers, answers, answers]);
  });

  test("a restart finds it in the file", async () => {
    const answers = await expected(first, second);
    const { one, restarted } = await begin();
    const left = await one.send(first);
    await restarted();
    const back = await one.send(second);
    expect([left.text, back.text]).toEqual(answers);
    expect(back.report).toMatchObject({ fromStore: left.report.context.usedTokens, fromResident: 0 });
  });

  test("the same question again computes one token", async () => {
    const [answer] = await expected(first);
    const { one } = await begin();
    await one.send(first);
    const again = await one.regenerate();
    expect(again.text).toBe(answer);
    expect(again.report).toMatchObject({ prefilled: 1, divergence: { kind: "regenerated" } });
  });

  test("a short question again goes on from the answer before it", async () => {
    const [, answer] = await expected(first, second);
    const { one } = await begin();
    await one.send(first);
    await one.send(second);
    await displace();
    const again = await one.regenerate();
    expect(again.text).toBe(answer);
    expect(again.report.prefilled).toBeLessThan(40);
    expect(again.report.shortfall).toMatchObject({ kind: "not-resumable" });
  });

  test("an edit goes on from the answer before it, and the way back from where it was left", async () => {
    const [, , answer] = await expected(first, second, third);
    const [, edited] = await expected(first, "something else");
    const { one } = await begin();
    await one.send(first);
    const before = [...one.messages];
    await one.send(second);
    const original = [...one.messages];
    one.messages = [...before, message("user", "something else")];
    const branch = await one.answer();
    expect(branch.text).toBe(edited);
    expect(branch.report.divergence?.kind).toBe("branch");
    expect(branch.report.prefilled).toBeLessThan(40);
    one.messages = original;
    const back = await one.send(third);
    expect(back.text).toBe(answer);
    expect(back.report.prefilled).toBeLessThan(40);
  });

  test("an edit where no snapshot ends computes what is behind, and says why", async () => {
    const [expectedAnswer] = await expected(`${first} no`);
    const { one } = await begin();
    await one.send(`${first} yes`);
    await displace();
    one.edit(1, `${first} no`);
    const edited = await one.answer();
    expect(edited.text).toBe(expectedAnswer);
    expect(edited.report.shortfall).toMatchObject({ kind: "not-resumable" });
    expect(edited.report.shortfall?.tokens).toBeGreaterThan(590);
  });

  test("a new chat has the system prompt from the first one", async () => {
    const system = longText(300, "rule");
    await begin();
    const [chat, other] = [new CachedChat(client, "one", { system }), new CachedChat(client, "two", { system })];
    await chat.send("hello");
    for (let index = 0; index < 5; index += 1) await chat.send(longText(100, "water"));
    const answer = await other.send("water");
    expect(answer.report.fromShared).toBeGreaterThan(290);
    expect(answer.report.prefilled).toBeLessThan(30);
    await begin();
    expect((await new CachedChat(client, "three", { system }).send("water")).text).toBe(answer.text);
  });

  test("a draft is gone on from, and one that was given up costs the conversation nothing", async () => {
    const question = `${longText(400, "water")} what is it?`;
    const [, answer] = await expected(first, question);
    const { one } = await begin();
    const left = await one.send(first);
    const conversationId = "one";
    const { tokens } = await client.prepare({
      conversationId,
      messages: [...one.messages, message("user", question.slice(0, -4))],
    });
    expect(tokens).toBeGreaterThan(left.report.context.usedTokens + 390);
    const sent = await one.send(question);
    expect(sent.text).toBe(answer);
    expect(sent.report.preparedTokens).toBeGreaterThan(380);
    const [, other] = await expected(first, second);
    one.messages = one.messages.slice(0, 3);
    await client.prepare({ conversationId, messages: [...one.messages, message("user", longText(300, "rule"))] });
    const given = await one.send(second);
    expect(given.text).toBe(other);
    expect(given.report.prefilled).toBeLessThan(40);
  });

  test("a draft that became shorter is computed again, and not taken for what is in place", async () => {
    const { one } = await begin();
    await one.send(first);
    const draft = (words: number) => ({
      conversationId: "one",
      messages: [...one.messages, message("user", longText(words, "water"))],
    });
    const longer = await client.prepare(draft(400));
    const shorter = await client.prepare(draft(200));
    expect(shorter.tokens).toBeLessThan(longer.tokens);
    const sent = await one.send(`${longText(200, "water")} x`);
    expect(sent.report.prefilled).toBeLessThan(40);
    expect(sent.text).toBe((await expected(first, `${longText(200, "water")} x`))[1]);
  });

  test("an opened conversation is in place before the message comes", async () => {
    const answers = await expected(first, second);
    const { one } = await begin();
    const left = await one.send(first);
    await displace();
    const { tokens } = await client.warm({ conversationId: "one", messages: one.messages });
    expect(tokens).toBe(left.report.context.usedTokens);
    const back = await one.send(second);
    expect(back.report).toMatchObject({ fromStore: 0, fromResident: left.report.context.usedTokens });
    expect([left.text, back.text]).toEqual(answers);
  });

  test("a prefill that was stopped goes on where it was", async () => {
    const long = longText(1_200);
    const [answer] = await expected(long);
    const { one } = await begin();
    const stopped = await one.send(long, ({ generationId }) => client.stop({ generationId }));
    expect(stopped.report.stopReason).toBe("stopped");
    const resumed = await one.answer();
    expect(resumed.report.fromResident).toBe(stopped.report.context.usedTokens);
    expect(resumed.text).toBe(answer);
  });

  test.each([true, false])("a side prompt leaves the conversation in place (stored: %s)", async (isEnabled) => {
    const answers = await expected(first, second);
    const { one } = await begin({ isEnabled });
    const left = await one.send(first);
    const title = request([...one.messages, message("user", "a title for this, please")], {}, "one");
    await turn(client, { ...title, kind: "side" });
    const next = await one.send(second);
    expect([left.text, next.text]).toEqual(answers);
    expect(next.report).toMatchObject({
      fromResident: left.report.context.usedTokens,
      shortfall: { kind: "none", tokens: 0 },
    });
  });

  test("without a store it answers, and says that what was left is computed again", async () => {
    const answers = await expected(first, second);
    const { one } = await begin({ isEnabled: false });
    const left = await one.send(first);
    await displace();
    const back = await one.send(second);
    expect([left.text, back.text]).toEqual(answers);
    // The first words are those of the other conversation too, which is in place.
    const isInPlace = model.variant !== "sliding-window";
    expect(back.report).toMatchObject({ fromStore: 0, shortfall: { kind: isInPlace ? "not-resumable" : "evicted" } });
    one.messages = one.messages.slice(0, 3);
    const edited = await one.send("something else");
    expect(edited.text).toBe((await expected(first, "something else"))[1]);
  });

  test("a flipped bit costs time, and never a wrong answer", async () => {
    const answers = await expected(first, second);
    const { one, kvPath, restarted } = await begin();
    const left = await one.send(first);
    await restarted(() => {
      const database = new Database(kvPath);
      for (const { block_id: id, bytes } of database.prepare<[], Payload>("SELECT * FROM payload").all()) {
        bytes[bytes.length - 10] = (bytes.at(-10) ?? 0) ^ 4;
        database.prepare("UPDATE payload SET bytes = ? WHERE block_id = ?").run(bytes, id);
      }
      database.close();
    });
    const back = await one.send(second);
    expect([left.text, back.text]).toEqual(answers);
    expect(back.report).toMatchObject({ fromStore: 0, shortfall: { kind: "store-damaged" } });
  });

  test("the self-test finds the restored conversation choosing the same", async () => {
    const { one } = await begin();
    const left = await one.send(first);
    const result = await client.cache.selfTest({
      conversationId: "one",
      messages: [...one.messages, message("user", second)],
    });
    expect(result).toMatchObject({ tokens: left.report.context.usedTokens, isSameChoice: true });
  });

  test("its memory is told as it is", async () => {
    const { one } = await begin();
    const { report } = await one.send(first);
    const { memory, context } = report;
    expect(memory.kvLive).toBeGreaterThan(0);
    expect(memory.kvLive).toBeLessThanOrEqual(memory.kvAllocated);
    expect(memory.computeBuffers).toBeGreaterThan(0);
    // Two layers' state, which the library tells in hundredths of a mebibyte.
    const isOnlyState = model.variant === "recurrent";
    expect(memory.kvBytesPerToken === 0).toBe(isOnlyState);
    if (isOnlyState) expect(Math.abs(memory.kvAllocated - 2 * mambaStateBytes(128))).toBeLessThan(5_300);
    const { cells, runs } = await cacheStateWhen(client);
    expect(cells).toEqual({
      total: 2_048,
      active: context.usedTokens,
      parked: 0,
      shared: 0,
      free: 2_048 - context.usedTokens,
    });
    expect(runs.reduce((sum, run) => sum + run.cells, 0)).toBe(2_048);
  });
});

interface Payload {
  readonly block_id: number;
  readonly bytes: Buffer;
}
