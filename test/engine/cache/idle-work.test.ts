/** What is done while nobody waits, on a loaded model without the engine around it. */
import { afterAll, describe, expect, test } from "vitest";
import { IdleWork } from "../../../src-main/engine/idle-work.ts";
import { measureParkedBudget } from "../../../src-main/engine/kv/parked-budget.ts";
import { closeLlama } from "../../../src-main/engine/llama/load-llama.ts";
import { stateContextOf } from "../../../src-main/engine/open-kv-cache.ts";
import { promptSize } from "../../../src-main/engine/prompt-size.ts";
import { TurnQueue } from "../../../src-main/engine/turn-queue.ts";
import { longText } from "../../helpers/cached-chat.ts";
import { answer, openSession } from "../../helpers/open-session.ts";
import { sharedLlama } from "../../helpers/open-tiny-model.ts";
import { message } from "../../helpers/prompt-message.ts";

afterAll(async () => {
  await closeLlama(await sharedLlama());
});

/** Thoughts stay in the last answer of a prompt, and are taken out of those before. */
const thinkingTemplate =
  "{% for m in messages %}<|im_start|>{{ m.role }}\n" +
  "{% if m.role == 'assistant' and not loop.index == loop.length - 1 %}{{ m.content.split('</think>') | last }}" +
  "{% else %}{{ m.content }}{% endif %}<|im_end|>\n{% endfor %}<|im_start|>assistant\n";

describe("an answer whose thoughts the template takes out", () => {
  test.each(["llama", "recurrent"] as const)(
    "is computed again without them, so that the next turn only computes what is new: %s",
    async (variant) => {
      await using session = await openSession({ chatTemplate: thinkingTemplate, variant });
      const thoughts = `<think>${longText(300, "water")}</think>${longText(200)}`;
      const asked = [message("user", "hello"), message("assistant", thoughts), message("user", "and?")];
      const { text, done } = await answer(session, asked);
      const answered = [...asked, message("assistant", text, done.answerTokens)];
      using idle = new IdleWork(new TurnQueue(), () => session);
      await idle.restate({ conversationId: "one", messages: answered });
      const next = await answer(session, [...answered, message("user", "more")]);
      expect(next.done.report.prefilled).toBeLessThan(30);
      expect(next.done.report.divergence?.kind).toBe("thinking-stripped");
    },
  );

  test("is the same as if it had been computed then", async () => {
    const thoughts = `<think>${longText(300, "water")}</think>${longText(200)}`;
    const asked = [message("user", "hello"), message("assistant", thoughts), message("user", "and?")];
    const answers: string[] = [];
    for (const restates of [true, false]) {
      await using session = await openSession({ chatTemplate: thinkingTemplate });
      const { text, done } = await answer(session, asked);
      const answered = [...asked, message("assistant", text, done.answerTokens)];
      using idle = new IdleWork(new TurnQueue(), () => session);
      if (restates) await idle.restate({ conversationId: "one", messages: answered });
      answers.push((await answer(session, [...answered, message("user", "more")])).text);
    }
    expect(answers[0]).toBe(answers[1]);
  });
});

describe("a conversation that was opened", () => {
  test("is not put in place where an answer or another one comes first, and that is told", async () => {
    await using session = await openSession();
    const messages = [message("user", "hello")];
    const queue = new TurnQueue();
    using idle = new IdleWork(queue, () => session);
    const answering = Promise.withResolvers<undefined>();
    const answered = queue.run(new AbortController().signal, () => answering.promise);
    const first = idle.warm({ conversationId: "one", messages });
    const second = idle.warm({ conversationId: "two", messages });
    expect(await first).toEqual({ tokens: 0, isInterrupted: true });
    idle.stop();
    expect(await second).toEqual({ tokens: 0, isInterrupted: true });
    answering.resolve(undefined);
    await answered;
    expect(await idle.warm({ conversationId: "one", messages })).toEqual({ tokens: 0, isInterrupted: false });
  });

  test("is refused where it would not be answered", async () => {
    await using session = await openSession();
    using idle = new IdleWork(new TurnQueue(), () => session);
    // It would fit by itself, but leaves no room for an answer.
    const messages = [message("user", longText(1_000))];
    expect(session.prompts.probe(messages).length).toBeLessThan(session.contextTokens);
    const warmed = idle.warm({ conversationId: "one", messages });
    await expect(warmed).rejects.toMatchObject({ code: "CONTEXT_FULL" });
  });
});

describe("the size of a prompt", () => {
  test("says what of it is in place, what can be restored, and what the rest costs", async () => {
    await using session = await openSession();
    const asked = [message("user", longText(600))];
    const { text, done } = await answer(session, asked);
    const { usedTokens } = done.report.context;
    while (await session.cache.saveStep());
    const next = [...asked, message("assistant", text, done.answerTokens), message("user", longText(90, "water"))];
    const size = promptSize(session, next);
    expect(size).toMatchObject({ isFitting: true, residentTokens: usedTokens });
    expect(size.storedTokens).toBeGreaterThan(590);
    // One millisecond a token, see cheapRestore.
    expect(size.computeMs).toBe(size.promptTokens - usedTokens);
    // What is measured is neither computed nor put in place.
    expect(session.cache.cells.length).toBe(usedTokens);
  });

  test("is that of another conversation that begins with the same", async () => {
    await using session = await openSession();
    const system = message("system", longText(300, "rule"));
    await answer(session, [system, message("user", "hello")]);
    const { residentTokens, promptTokens } = promptSize(session, [system, message("user", longText(60, "water"))]);
    expect(residentTokens).toBeGreaterThan(290);
    expect(residentTokens).toBeLessThan(promptTokens - 50);
  });

  test("is told where it does not fit", async () => {
    await using session = await openSession();
    expect(promptSize(session, [message("user", longText(1_000))]).isFitting).toBe(false);
  });
});

describe("saving what was computed", () => {
  test("comes in steps of a block, so that an answer never waits for the whole conversation", async () => {
    await using session = await openSession();
    await answer(session, [message("user", longText(900))]);
    const { cache, surroundings } = session;
    const saved: number[] = [];
    for (let isMore = true; isMore;) {
      isMore = await cache.saveStep();
      saved.push(cache.parts.tiers.storedTokens(cache.cells.tokens));
    }
    expect(saved.at(-1)).toBe(cache.cells.length);
    expect(saved.length).toBeGreaterThanOrEqual(4);
    expect(Math.max(...saved.map((tokens, step) => tokens - (saved[step - 1] ?? 0)))).toBeLessThanOrEqual(256);
    expect(surroundings.store.pendingBytes).toBeGreaterThan(0);
  });
});

describe("how many cells may be parked", () => {
  test("is found by trying, and leaves the cells as they were", async () => {
    await using session = await openSession();
    const asked = [message("user", longText(300))];
    const { text, done } = await answer(session, asked);
    const { cells } = session.cache;
    const tokens = cells.tokens.slice();
    const { context } = session.model;
    const budget = await measureParkedBudget({
      context: { ...stateContextOf(session.model), computeToken: (...step) => context.computeToken(...step) },
      folder: session.surroundings.folder,
      tokens,
      freeCells: session.cache.parts.stream.counts.free,
    });
    expect(budget).toBeGreaterThanOrEqual(0);
    expect(budget).toBeLessThanOrEqual(1_024);
    expect(context.sequences.positions(0)).toEqual({ first: 0, last: tokens.length - 1 });
    expect(context.sequences.positions(255)).toBeNull();
    const goOn = [...asked, message("assistant", text, done.answerTokens), message("user", "and?")];
    const next = await answer(session, goOn);
    await using other = await openSession();
    await answer(other, asked);
    expect(next.text).toBe((await answer(other, goOn)).text);
  });

  test("gives way to an answer between two steps, and leaves the cells as they were", async () => {
    await using session = await openSession();
    await answer(session, [message("user", longText(300))]);
    const { context } = session.model;
    const { length } = session.cache.cells;
    const positions: unknown[] = [];
    for (const stepsBefore of [0, 3, 6]) {
      let steps = 0;
      const budget = await measureParkedBudget({
        context: {
          ...stateContextOf(session.model),
          computeToken: async (...step) => {
            steps += 1;
            return await context.computeToken(...step);
          },
        },
        folder: session.surroundings.folder,
        tokens: session.cache.cells.tokens.slice(),
        freeCells: session.cache.parts.stream.counts.free,
        isWanted: () => steps >= stepsBefore,
      });
      expect([budget, steps]).toEqual([null, stepsBefore]);
      positions.push(context.sequences.positions(0), context.sequences.positions(255));
    }
    const untouched = { first: 0, last: length - 1 };
    expect(positions).toEqual([untouched, null, untouched, null, untouched, null]);
  });

  test("is not tried where there is no room", async () => {
    await using session = await openSession();
    await answer(session, [message("user", "hello")]);
    const { context } = session.model;
    const budget = await measureParkedBudget({
      context: { ...stateContextOf(session.model), computeToken: (...step) => context.computeToken(...step) },
      folder: session.surroundings.folder,
      tokens: session.cache.cells.tokens.slice(),
      freeCells: 10,
    });
    expect(budget).toBeNull();
  });
});
