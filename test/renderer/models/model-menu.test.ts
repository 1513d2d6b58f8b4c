import { flushSync } from "svelte";
import { describe, expect, test, vi } from "vitest";
import ModelMenu from "../../../src-renderer/models/model-menu.svelte";
import { levelFiles, levelsApp } from "../../helpers/levels-app.ts";
import { sampleSwitchCost } from "../../helpers/sample-switch-cost.ts";
import { showComponent } from "../../helpers/show-component.ts";

async function menu(isOpen = true) {
  const levels = await levelsApp(isOpen);
  const pill = { name: "ready", modelName: "SmolLM2", quantization: "Q4_1" } as const;
  const page = showComponent(levels.app, ModelMenu, { pill, model: levelFiles.q4 });
  const row = (id: string) => page.querySelector<HTMLElement>(`[data-model-row=${id}]`);
  const textOf = (id: string) => (row(id)?.textContent ?? "").replaceAll("\u00a0", " ").replaceAll(/\s+/g, " ");
  const press = (key: string, changes: KeyboardEventInit = {}) => {
    const target = document.activeElement?.closest("[data-model-row]") ?? row("q4");
    target?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...changes }));
    flushSync();
  };
  return { ...levels, page, row, textOf, press };
}

describe("the menu of models", () => {
  test("shows what each level takes and how fast it is, and which is chosen, in memory and the reference", async () => {
    const { page, row, textOf } = await menu();
    const rows = [...page.querySelectorAll("[data-model-row]")].map((each) => each.getAttribute("data-model-row"));
    expect(rows).toEqual(["q4", "q8", "f16", "qwen"]);
    expect(row("q4")?.getAttribute("aria-pressed")).toBe("true");
    expect(textOf("q4")).toContain("98.4 MB");
    expect(textOf("q4")).toContain("334 MB");
    expect(textOf("q4")).toContain("412");
    expect(textOf("q4")).toContain("77.5");
    expect(textOf("q4")).toContain("fastest reading");
    expect(textOf("q4")).not.toContain("in memory");
    expect(textOf("q8")).toContain("in memory");
    expect(textOf("q8")).toContain("speed not measured yet");
    expect(textOf("f16")).toContain("the reference");
  });

  test("says what switching costs, of the levels beside the present one", async () => {
    const { calls, page, textOf } = await menu();
    expect(textOf("q8")).toContain("Looking what switching takes…");
    await vi.waitUntil(() => calls.switchCost.mock.calls.length === 2);
    await vi.waitUntil(() => textOf("f16").includes("Reads"));
    expect(textOf("q8")).toContain("Reads 145 MB, computes 412 tokens again.");
    expect(textOf("q4")).not.toContain("Reads");
    expect(calls.switchCost.mock.calls.map(([input]) => input)).toEqual([
      { conversationId: "c1", modelId: "q8" },
      { conversationId: "c1", modelId: "f16" },
    ]);
    expect(page.querySelectorAll("[data-testid=switch-cost]")).toHaveLength(2);
  });

  test("asks what another model would cost when it is looked at", async () => {
    const { calls, row, textOf } = await menu();
    calls.switchCost.mockResolvedValue(sampleSwitchCost({ promptTokens: null, computeTokens: null }));
    row("qwen")?.dispatchEvent(new Event("pointerenter"));
    await vi.waitUntil(() => textOf("qwen").includes("how much has to be computed"));
  });

  test("asks no cost where nothing has begun", async () => {
    const { app, calls, press, textOf } = await menu(false);
    expect(textOf("q8")).not.toContain("Looking");
    press("2");
    await vi.waitUntil(() => calls.updateSettings.mock.calls.length > 0);
    expect(calls.updateSettings.mock.calls[0]?.[0]).toEqual({ modelId: "q8" });
    expect(app.ui.modelMenuOpen).toBe(false);
    expect(calls.switchModel).not.toHaveBeenCalled();
    expect(calls.switchCost).not.toHaveBeenCalled();
  });

  test("switches by a digit, and gives the field the focus back", async () => {
    const { app, calls, press } = await menu();
    app.ui.modelMenuOpen = true;
    press("2", { ctrlKey: true });
    press("7");
    expect(calls.switchModel).not.toHaveBeenCalled();
    press("3");
    expect(calls.switchModel.mock.calls[0]?.[0]).toEqual({ conversationId: "c1", modelId: "f16" });
    expect(app.ui.modelMenuOpen).toBe(false);
    expect(app.ui.focusNext).toBe("composer");
  });

  test("is walked through by the arrows, round and round", async () => {
    const { press, row } = await menu();
    row("q4")?.focus();
    press("ArrowDown");
    expect(document.activeElement).toBe(row("q8"));
    press("End");
    expect(document.activeElement).toBe(row("qwen"));
    press("ArrowDown");
    expect(document.activeElement).toBe(row("q4"));
    press("ArrowUp");
    expect(document.activeElement).toBe(row("qwen"));
    press("Home");
    expect(document.activeElement).toBe(row("q4"));
  });

  test("has a level measured that was not, one at a time", async () => {
    const { app, calls, page } = await menu();
    calls.measure.mockReturnValue(new Promise(() => undefined));
    const button = (name: string) => page.querySelector<HTMLButtonElement>(`button[aria-label="${name}"]`);
    expect(button("Measure how fast Q4_1 is")).toBeNull();
    button("Measure how fast Q8_0 is")?.click();
    flushSync();
    expect(calls.measure.mock.calls[0]?.[0]).toEqual({ modelId: "q8" });
    expect(page.querySelector("[role=progressbar]")?.getAttribute("aria-label")).toBe("Measuring how fast Q8_0 is…");
    expect(button("Measure how fast F16 is")?.disabled).toBe(true);
    expect(button("Cancel")).not.toBeNull();
    expect(app.measurement.modelId).toBe("q8");
  });
});
