import { expect, test } from "vitest";
import { branchOrigins } from "../../../../src-main/engine/kv/branch-origins.ts";
import type { Placement } from "../../../../src-main/engine/kv/placement.ts";
import { withAnswer, type PromptRecord } from "../../../../src-main/engine/kv/prompt-record.ts";
import type { RememberedPrompt } from "../../../../src-main/engine/kv/stored-prompt.ts";
import { answer, record, type TestMessage } from "../../../helpers/prompt-records.ts";

const user = (text: string): TestMessage => ({ role: "user", text });
const model = (text: string): TestMessage => ({ role: "assistant", text });
const system: TestMessage = { role: "system", text: "be brief" };

/** Behind the system prompt. */
const questionStart = ({ messages }: PromptRecord) => messages[1]?.start ?? NaN;

let id = 0;
function asked(prompt: PromptRecord, from = 0, to = prompt.tokens.length): RememberedPrompt {
  id += 1;
  return { id, conversationId: "chat", record: prompt, computed: { from, to } };
}

/** All of the conversation's own, the first `inPlace` of them in place. */
function placed(reusedTokens: number, inPlace = reusedTokens, preparedTokens = 0): Placement {
  return {
    kind: "turn",
    isDraft: false,
    owner: "chat",
    owners: [{ owner: "chat", tokens: reusedTokens }],
    reusedTokens,
    fromResident: inPlace,
    fromShared: 0,
    fromStore: reusedTokens - inPlace,
    preparedTokens,
    restored: inPlace === reusedTokens ? null : { from: inPlace, to: reusedTokens, wanted: reusedTokens, elapsedMs: 1 },
    after: [],
    available: { residentTokens: inPlace, storedTokens: reusedTokens, isRestoreDeclined: false },
  };
}

const first = withAnswer(record([system, user("a document, and a question")]), answer("yes"));

test("a turn that goes on has its own tokens", () => {
  const next = record([system, user("a document, and a question"), model("yes"), user("and?")]);
  expect(branchOrigins(placed(first.tokens.length), [asked(first)], next)).toMatchObject({ fromShared: 0 });
});

test("regenerating has too: the question is the same, whatever was answered", () => {
  const again = record([system, user("a document, and a question")]);
  const reused = again.tokens.length - 1;
  expect(branchOrigins(placed(reused), [asked(first)], again)).toMatchObject({ fromResident: reused, fromShared: 0 });
  const other = withAnswer(again, answer("yet"));
  const next = record([system, user("a document, and a question"), model("yet"), user("and?")]);
  const turns = [asked(first), asked(other, reused)];
  expect(branchOrigins(placed(other.tokens.length), turns, next)).toMatchObject({ fromShared: 0 });
});

test("the beginning of an edited message was computed for the other branch; what comes before it belongs to both", () => {
  const edited = record([system, user("a document, and an answer")]);
  const reused = questionStart(edited) + 1 + "a document, and a".length;
  expect(branchOrigins(placed(reused), [asked(first)], edited)).toEqual({
    fromResident: questionStart(edited),
    fromStore: 0,
    fromShared: 1 + "a document, and a".length,
    preparedTokens: 0,
  });
});

test("of what was restored too, and what was prepared is no more than what is this branch's", () => {
  const edited = record([system, user("a document, and an answer")]);
  const start = questionStart(edited);
  const origins = branchOrigins(placed(start + 11, start + 4, start + 4), [asked(first)], edited);
  expect(origins).toEqual({ fromResident: start, fromStore: 0, fromShared: 11, preparedTokens: start });
});

test("a turn of this branch that computed them too makes them its own", () => {
  const edited = withAnswer(record([system, user("a document, and an answer")]), answer("no"));
  const next = record([system, user("a document, and an answer"), model("no"), user("and?")]);
  const start = questionStart(next);
  const length = edited.tokens.length;
  const went = (from: number) => branchOrigins(placed(length), [asked(first), asked(edited, from)], next);
  expect(went(start)).toMatchObject({ fromResident: length, fromShared: 0 });
  expect(went(start + 10)).toMatchObject({ fromResident: length - 10, fromShared: 10 });
});

test("what a turn gave up, or another model computed, says nothing", () => {
  const edited = record([system, user("a document, and an answer")]);
  const start = questionStart(edited);
  expect(branchOrigins(placed(start + 10), [asked(first, 0, start + 4)], edited)).toMatchObject({ fromShared: 4 });
  const foreign = { ...first, modelFingerprint: "other" };
  expect(branchOrigins(placed(start + 10), [asked(foreign)], edited)).toMatchObject({ fromShared: 0 });
});

test("another conversation's stay shared, and count once", () => {
  const edited = record([system, user("a document, and an answer")]);
  const start = questionStart(edited);
  const placement = { ...placed(start + 10), fromResident: 10, fromShared: start };
  const owners = [
    { owner: "other", tokens: start },
    { owner: "chat", tokens: 10 },
  ];
  const origins = branchOrigins({ ...placement, owners }, [asked(first)], edited);
  expect(origins).toMatchObject({ fromResident: 0, fromShared: start + 10 });
});
