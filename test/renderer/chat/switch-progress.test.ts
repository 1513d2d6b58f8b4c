import { flushSync } from "svelte";
import { expect, test, vi } from "vitest";
import type { ModelSwitch } from "../../../src-main/contract/model-switch.ts";
import SwitchProgress from "../../../src-renderer/chat/switch-progress.svelte";
import { switchWords } from "../../../src-renderer/chat/switch-words.ts";
import { levelsApp } from "../../helpers/levels-app.ts";
import { showComponent } from "../../helpers/show-component.ts";

async function progress() {
  const levels = await levelsApp();
  const page = showComponent(levels.app, SwitchProgress, {});
  let seq = 0;
  const goOn = async (phase: ModelSwitch["phase"] | null) => {
    const switching = phase === null ? null : { modelId: "q8", phase };
    levels.push({ type: "switching", seq: (seq += 1), switching });
    await vi.waitUntil(() => levels.app.chat.ready?.seq === seq);
    flushSync();
  };
  const section = () => page.querySelector("section");
  const button = (name: string) =>
    [...page.querySelectorAll("button")].find(({ textContent }) => textContent.trim() === name);
  return { ...levels, page, goOn, section, button };
}

test("says where a switch stands until it is over", async () => {
  const { goOn, page, section } = await progress();
  expect(section()).toBeNull();
  await goOn({ name: "loading", fraction: 0.43 });
  expect(section()?.textContent).toContain("Q8_0 · loading, 43%");
  expect(page.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow")).toBe("43");
  expect(page.querySelector("[role=status]")?.textContent).toBe("Switching to Q8_0");
  await goOn({ name: "prefill", doneTokens: 103, totalTokens: 412 });
  expect(section()?.textContent).toContain("103 of 412 tokens");
  expect(page.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow")).toBe("25");
  await goOn(null);
  expect(section()).toBeNull();
});

test("is cancelled, and then not begun again by itself", async () => {
  const { app, button, calls, goOn } = await progress();
  await goOn({ name: "waiting" });
  button("Cancel")?.click();
  expect(calls.cancelSwitch.mock.calls[0]?.[0]).toEqual({ conversationId: "c1" });
  await goOn(null);
  expect(app.chat.ready !== null && app.declinedSwitch.isDeclined(app.chat.ready)).toBe(true);
});

test("says why it failed, and what can be done", async () => {
  const { button, calls, goOn, page } = await progress();
  const message = "The engine crashed.";
  await goOn({ name: "failed", error: { code: "ENGINE_CRASHED", message, data: { cause: "SIGKILL" } } });
  expect(page.querySelector("[role=alert]")?.textContent).toContain(`Switching to Q8_0 did not work. ${message}`);
  button("Back to Q4_1")?.click();
  button("Try again")?.click();
  await vi.waitUntil(() => calls.switchModel.mock.calls.length > 0);
  expect(calls.switchModel.mock.calls.at(-1)?.[0]).toEqual({ conversationId: "c1", modelId: "q8" });
  expect(calls.load).not.toHaveBeenCalled();
  button("Dismiss")?.click();
  expect(calls.cancelSwitch).toHaveBeenCalled();
});

test("tries a model that brought the engine down only because it was asked to", async () => {
  const { button, calls, goOn } = await progress();
  await goOn({ name: "failed", error: { code: "MODEL_QUARANTINED", message: "Not loaded.", data: {} } });
  button("Try again")?.click();
  await vi.waitUntil(() => calls.switchModel.mock.calls.length > 0);
  expect(calls.load.mock.calls[0]?.[0]).toEqual({ modelId: "q8", retry: true });
});

test("has words for every step", () => {
  expect(switchWords({ name: "waiting" }, null)).toEqual({ words: "waiting for an answer to end", fraction: null });
  expect(switchWords({ name: "loading", fraction: 1 }, null)).toEqual({ words: "preparing…", fraction: null });
  const phase = { name: "prefill", doneTokens: 100, totalTokens: 400 } as const;
  expect(switchWords(phase, 2_400).words).toBe("100 of 400 tokens in place, about 2\u00a0s left");
  expect(switchWords({ ...phase, totalTokens: 0 }, null).fraction).toBeNull();
});
