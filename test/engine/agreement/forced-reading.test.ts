/** What a model finds likeliest in answers it reads along is held against computing one token after the other. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { PredictionEvent, PromptMessage } from "../../../src-main/contract/engine-contract.ts";
import { predictAnswers } from "../../../src-main/engine/agreement/predict-answers.ts";
import type { ModelSession } from "../../../src-main/engine/model-session.ts";
import { TurnQueue } from "../../../src-main/engine/turn-queue.ts";
import { longText } from "../../helpers/cached-chat.ts";
import { greedySampling } from "../../helpers/greedy.ts";
import { answer, openSessionOf } from "../../helpers/open-session.ts";
import { openOptions } from "../../helpers/open-tiny-model.ts";
import { message } from "../../helpers/prompt-message.ts";
import { quantizeFile } from "../../helpers/quantize-tiny.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "../../helpers/tiny-gguf.ts";

/** Two turns, the first prompt of more than a chunk, the answers of more than the logits that are kept at once. */
async function talk(session: ModelSession): Promise<PromptMessage[]> {
  const messages: PromptMessage[] = [];
  for (const text of [longText(280), "and then?"]) {
    messages.push(message("user", text));
    const { text: said, done } = await answer(session, messages, 80);
    messages.push(message("assistant", said, done.answerTokens));
  }
  return messages;
}

const places = [1, 3];

async function predicted(session: ModelSession, messages: readonly PromptMessage[]): Promise<(readonly number[])[]> {
  const events: PredictionEvent[] = [];
  await predictAnswers(
    { conversationId: "one", messages: [...messages], wanted: places },
    { queue: new TurnQueue(), session: () => session, signal: openOptions.signal, send: (event) => events.push(event) },
  );
  return events.flatMap((event) => (event.type === "answer" ? [event.tokens] : []));
}

interface Choice {
  readonly token: number;
  /** By how much its logit is above that of the next, as a share of what all of them span. */
  readonly lead: number;
}

/** Every token by itself, in the context of the conversation, which is lost. */
async function naive(session: ModelSession, messages: readonly PromptMessage[], place: number): Promise<Choice[]> {
  const { context } = session.model;
  using sampler = session.model.createSampler(greedySampling, 1, []);
  const prompt = session.prompts.probe(messages.slice(0, place));
  const own = messages[place]?.tokens ?? [];
  const choices: Choice[] = [];
  context.clear();
  context.setThreads(1);
  for (const [position, token] of [...prompt, ...own.slice(0, -1)].entries()) {
    const index = await context.computeToken(position, token);
    if (position < prompt.length - 1) continue;
    const logits = (await context.logits(index, sampler)) ?? new Float32Array();
    const sorted = logits.toSorted((one, other) => other - one);
    const [best = 0, next = 0] = sorted;
    choices.push({ token: logits.indexOf(best), lead: (best - next) / (best - (sorted.at(-1) ?? 0)) });
  }
  return choices;
}

/** Chunks are rounded in another way than single tokens: what is as good as equal may be either. */
const nearTie = 0.03;

describe.each<[string, TinyModelOptions]>([
  ["full attention", {}],
  ["sliding windows", { variant: "sliding-window" }],
  ["a recurrent state", { variant: "hybrid" }],
])("%s", (_, variant) => {
  test("a level says of another's answers what it says of each token by itself", async () => {
    const fine = await writeTinyGguf(join(temporaryFolder(), "fine.gguf"), variant);
    const { path: coarse } = await quantizeFile(fine, "Q8_0");
    await using other = await openSessionOf(fine);
    const messages = await talk(other);
    await using session = await openSessionOf(coarse);
    const said = await predicted(session, messages);
    expect(said.map(({ length }) => length)).toEqual(places.map((place) => messages[place]?.tokens?.length));
    for (const [index, place] of places.entries()) {
      const choices = await naive(session, messages, place);
      const wrong = choices.filter(({ token, lead }, at) => token !== said[index]?.[at] && lead > nearTie);
      expect(wrong).toEqual([]);
    }
  });
});
