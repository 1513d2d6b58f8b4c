import { expect, test } from "vitest";
import { agreementQuestions } from "../../../src-main/app/agreement-questions.ts";
import type { Message } from "../../../src-main/contract/conversation.ts";
import type { PromptMessage } from "../../../src-main/contract/engine-contract.ts";
import { message } from "../../helpers/prompt-message.ts";
import { sampleMessage } from "../../helpers/sample-thread.ts";

interface Said {
  readonly content: string;
  readonly tokens?: readonly number[] | null;
  readonly status?: Message["status"];
}

/** A path of questions and answers, the answers at odd places, and its prompt. */
function questionsOf(said: readonly Said[], system = "") {
  const path = said.map(({ content, status = "complete" }, index) =>
    sampleMessage({ id: String(index), role: index % 2 === 1 ? "assistant" : "user", content, status }),
  );
  const prompt: PromptMessage[] = said.map(({ content, tokens = null }, index) =>
    message(index % 2 === 1 ? "assistant" : "user", content, tokens),
  );
  return agreementQuestions(path, system === "" ? prompt : [message("system", system), ...prompt]);
}

const talk: Said[] = [
  { content: "a" },
  { content: "b", tokens: [1, 2] },
  { content: "c" },
  { content: "d", tokens: [3] },
];

test("every answer is a question, at its place behind the system prompt", () => {
  expect(questionsOf(talk, "be brief").questions).toMatchObject([
    { messageId: "1", place: 2, tokens: 2 },
    { messageId: "3", place: 4, tokens: 1 },
  ]);
});

test("an answer without a word is none, and the places of the others are those of the prompt without it", () => {
  const { questions, messages } = questionsOf([...talk.slice(0, 1), { content: "" }, ...talk.slice(2)]);
  expect(messages.map(({ content }) => content)).toEqual(["a\n\nc", "d"]);
  expect(questions).toMatchObject([{ messageId: "3", place: 1 }]);
});

test("one that is being written is none yet, and one without ids has no tokens", () => {
  const { questions } = questionsOf([
    { content: "a" },
    { content: "b" },
    { content: "c" },
    { content: "d", status: "streaming" },
  ]);
  expect(questions).toMatchObject([{ messageId: "1", tokens: 0 }]);
});

test("a chain tells all that comes before and the answer itself, and nothing behind it", () => {
  const chains = (said: readonly Said[], system?: string) =>
    questionsOf(said, system).questions.map(({ chain }) => chain);
  const [first, second] = chains(talk);
  expect(chains([...talk, { content: "e" }, { content: "f", tokens: [4] }]).slice(0, 2)).toEqual([first, second]);
  expect(chains(talk, "be brief")).not.toContain(first);
  const edited = chains([talk[0] ?? { content: "" }, { content: "b", tokens: [1, 9] }, ...talk.slice(2)]);
  expect(edited).not.toContain(first);
  expect(edited).not.toContain(second);
});
