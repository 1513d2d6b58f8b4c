import { expect, test, vi } from "vitest";
import { DeclinedSwitch } from "../../../src-renderer/state/declined-switch.svelte.ts";
import { Problems } from "../../../src-renderer/state/problems.svelte.ts";
import type { ReadyThread } from "../../../src-renderer/state/thread-reducer.ts";
import { openConnection } from "../../helpers/fake-connection.ts";
import { sampleConversation, sampleMessage } from "../../helpers/sample-thread.ts";

const thread: ReadyThread = {
  name: "ready",
  seq: 0,
  conversation: sampleConversation({ id: "c1", modelId: "q8" }),
  messages: [sampleMessage({ id: "m1" })],
  generation: null,
  switching: { modelId: "q8", phase: { name: "waiting" } },
};

async function declined() {
  const cancelSwitch = vi.fn<(input: object) => Promise<void>>(() => Promise.resolve());
  const state = new DeclinedSwitch(await openConnection({ chat: { cancelSwitch } }), new Problems());
  await state.decline(thread);
  return { state, cancelSwitch };
}

test("a switch that is ended is ended in main, and stays declined when it is gone", async () => {
  const { state, cancelSwitch } = await declined();
  expect(cancelSwitch.mock.calls[0]?.[0]).toEqual({ conversationId: "c1" });
  expect(state.isDeclined({ ...thread, switching: null })).toBe(true);
});

test("another conversation, another model, another message or another choice is another matter", async () => {
  const { state } = await declined();
  expect(state.isDeclined({ ...thread, conversation: sampleConversation({ id: "c2", modelId: "q8" }) })).toBe(false);
  expect(state.isDeclined({ ...thread, conversation: sampleConversation({ id: "c1", modelId: "q4" }) })).toBe(false);
  expect(state.isDeclined({ ...thread, messages: [sampleMessage({ id: "m2" })] })).toBe(false);
  state.forget();
  expect(state.isDeclined(thread)).toBe(false);
});
