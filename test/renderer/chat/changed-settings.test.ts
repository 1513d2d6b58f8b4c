import { expect, test } from "vitest";
import { defaultSampling } from "../../../src-main/contract/conversation.ts";
import { changedSettings, settingsOf } from "../../../src-renderer/chat/changed-settings.ts";

const beginning = { systemPrompt: "Be kind.", sampling: { ...defaultSampling, temperature: 0.1 } };

test("a conversation's settings are its own, and else what it begins with", () => {
  expect(settingsOf({}, beginning)).toEqual({ ...beginning, overflowPolicy: "ask" });
  const own = { systemPrompt: "", overflowPolicy: "stop" } as const;
  expect(settingsOf(own, beginning)).toEqual({ ...own, sampling: beginning.sampling });
});

test("only what was changed is chosen, an empty system prompt too", () => {
  const before = settingsOf({}, beginning);
  expect(changedSettings(before, { ...before, sampling: { ...before.sampling, stop: [] } })).toEqual({});
  expect(changedSettings(before, { ...before, systemPrompt: "" })).toEqual({ systemPrompt: "" });
  const after = { ...before, sampling: { ...before.sampling, topK: 3 }, overflowPolicy: "stop" } as const;
  expect(changedSettings(before, after)).toEqual({ sampling: after.sampling, overflowPolicy: "stop" });
});
