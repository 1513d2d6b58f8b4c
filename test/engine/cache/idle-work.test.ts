/** What is done while nobody waits, on a loaded model without the engine around it. */
import { afterAll, describe, expect, test } from "vitest";
import { IdleWork } from "../../../src-main/engine/idle-work.ts";
import { measureParkedBudget } from "../../../src-main/engine/kv/parked-budget.ts";
import { closeLlama } from "../../../src-main/engine/llama/load-llama.ts";
import { stateContextOf } from "../../../src-main/engine/open-kv-cache.ts";
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
