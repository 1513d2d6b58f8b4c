import { describe, expect, test } from "vitest";
import type { ChatEvent, Generation } from "../../../src-main/contract/app-contract.ts";
import type { ModelSwitch } from "../../../src-main/contract/model-switch.ts";
import { reduceThread, type ThreadState } from "../../../src-renderer/state/thread-reducer.ts";
import { sampleConversation, sampleMessage, sampleThread } from "../../helpers/sample-thread.ts";

const question = sampleMessage({ id: "m1" });
const answer = sampleMessage({ id: "m2", parentId: "m1", role: "assistant", content: "", status: "streaming" });
const generation: Generation = { generationId: "g1", messageId: "m2", phase: { name: "queued" } };
const thread = sampleThread([question, answer]);
const start: ChatEvent = { type: "thread", seq: 0, thread, generation, switching: null };
const delta = (seq: number, text: string): ChatEvent => ({
  type: "delta",
  seq,
  generationId: "g1",
  messageId: "m2",
  text,
});

function reduce(...events: ChatEvent[]): ThreadState | null {
  return events.reduce<ThreadState | null>((state, event) => (state === null ? null : reduceThread(state, event)), {
    name: "loading",
  });
}

describe("the thread of a conversation", () => {
  test("begins with a snapshot", () => {
    expect(reduce(start)).toMatchObject({ name: "ready", seq: 0, messages: [question, answer], generation });
  });

  test("takes text in at the end of its message and ends the reading of the prompt", () => {
    expect(reduce(start, delta(1, "Par"), delta(2, "is"))).toMatchObject({
      seq: 2,
      messages: [question, { ...answer, content: "Paris" }],
      generation: { phase: { name: "decode" } },
    });
  });

  test("knows how far its switch to another model is, and when that is over", () => {
    const switching = { modelId: "m1", phase: { name: "prefill", doneTokens: 256, totalTokens: 900 } } as const;
    const begun = reduce(start, { type: "switching", seq: 1, switching });
    expect(begun).toMatchObject({ seq: 1, switching, generation });
    expect(reduce({ ...start, switching })).toMatchObject({ switching });
    expect(begun && reduceThread(begun, { type: "switching", seq: 2, switching: null })).toMatchObject({
      switching: null,
    });
  });

  test("leaves messages that did not change as they are", () => {
    const state = reduce(start, delta(1, "Paris"));
    expect(state?.name === "ready" && state.messages[0]).toBe(question);
  });

  test("goes on behind a message with what is new", () => {
    const more = sampleMessage({ id: "m3", parentId: "m2" });
    const path = { conversation: sampleConversation({ title: "New" }), messages: [more], generation };
    const sent = reduce(start, { type: "path", seq: 1, afterMessageId: "m2", ...path });
    expect(sent).toMatchObject({
      seq: 1,
      conversation: { title: "New" },
      messages: [question, answer, more],
      generation,
    });
    expect(sent?.name === "ready" && sent.messages[0]).toBe(question);
    expect(reduce(start, { type: "path", seq: 1, afterMessageId: "m1", ...path })).toMatchObject({
      messages: [question, more],
    });
    expect(reduce(start, { type: "path", seq: 1, afterMessageId: null, ...path })).toMatchObject({ messages: [more] });
  });

  test("cannot go on behind a message that is not on its path", () => {
    const path = { conversation: sampleConversation(), messages: [answer], generation };
    expect(reduce(start, { type: "path", seq: 1, afterMessageId: "m9", ...path })).toBeNull();
  });

  test("replaces the message when the answer is finished", () => {
    const finished = { ...answer, content: "Paris.", status: "complete" as const };
    const state = reduce(start, delta(1, "Par"), { type: "finished", seq: 2, generationId: "g1", message: finished });
    expect(state).toMatchObject({ messages: [question, finished], generation: null });
  });

  test("keeps the phase of another answer that began meanwhile", () => {
    const next = { ...generation, generationId: "g2" };
    const state = reduce(
      start,
      { type: "phase", seq: 1, generation: next },
      { type: "finished", seq: 2, generationId: "g1", message: answer },
    );
    expect(state).toMatchObject({ generation: next });
  });

  test("cannot go on where an event is missing", () => {
    expect(reduce(start, delta(2, "is"))).toBeNull();
    expect(reduce(delta(0, "Par"))).toBeNull();
  });

  test("begins anew with every snapshot, whatever its number", () => {
    const again: ChatEvent = { ...start, seq: 9, thread: sampleThread([question]), generation: null };
    expect(
      reduce(start, again, { type: "conversation", seq: 10, conversation: sampleConversation({ title: "New" }) }),
    ).toMatchObject({
      seq: 10,
      conversation: { title: "New" },
      messages: [question],
    });
  });

  test("knows how far a switch to another model is, until it is over", () => {
    const switching: ModelSwitch = { modelId: "q8", phase: { name: "loading", fraction: 0.5 } };
    const begun: ChatEvent = { type: "switching", seq: 1, switching };
    expect(reduce(start, begun)).toMatchObject({ seq: 1, switching, messages: [question, answer] });
    expect(reduce(start, begun, { type: "switching", seq: 2, switching: null })).toMatchObject({ switching: null });
    expect(reduce({ ...start, switching })).toMatchObject({ switching });
  });

  test("ends when the conversation is deleted", () => {
    expect(reduce(start, { type: "deleted", seq: 1 })).toEqual({ name: "deleted" });
  });
});
