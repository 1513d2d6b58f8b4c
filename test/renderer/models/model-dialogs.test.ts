import { ORPCError } from "@orpc/client";
import { flushSync } from "svelte";
import { expect, test, vi } from "vitest";
import type { PlanInput } from "../../../src-main/contract/memory-plan.ts";
import type { ModelFile } from "../../../src-main/contract/model.ts";
import LoadOptionsDialog from "../../../src-renderer/models/load-options-dialog.svelte";
import RemoveDialog from "../../../src-renderer/models/remove-dialog.svelte";
import { connectedApp, says } from "../../helpers/connected-app.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";
import { samplePlan } from "../../helpers/sample-plan.ts";
import { showComponent } from "../../helpers/show-component.ts";

async function appWith(file: ModelFile, procedures: Record<string, (...parameters: never[]) => unknown>) {
  const app = connectedApp({ models: { watch: () => says([file]), ...procedures } });
  await vi.waitFor(() => {
    expect(app.models.listed).not.toBeNull();
  });
  return app;
}

function button(page: HTMLElement, name: string): HTMLButtonElement | undefined {
  return [...page.querySelectorAll("button")].find(({ textContent }) => textContent.trim() === name);
}

async function reads(page: HTMLElement, text: string): Promise<void> {
  await vi.waitFor(() => {
    flushSync();
    expect(page.textContent).toContain(text);
  });
}

test("an added file can be taken off the list without losing it", async () => {
  const remove = vi.fn(() => Promise.resolve());
  const file = sampleModelFile({ source: "added" });
  const app = await appWith(file, { remove });
  app.ui.dialog = { name: "remove-model", modelId: file.id };
  const page = showComponent(app, RemoveDialog, { modelId: file.id });
  await reads(page, "the file stays where it is");
  button(page, "Take off the list")?.click();
  expect(remove).toHaveBeenCalledWith({ modelId: file.id, deletesFile: false });
  await vi.waitFor(() => {
    expect(app.ui.dialog).toBeNull();
  });
});

test("a file of the models folder can only be deleted; where that fails, the dialog says why and stays", async () => {
  const failure = new ORPCError("STORAGE_FAILED", {
    message: "The file is in use.",
    data: { reason: "other", detail: "EBUSY" },
  });
  const remove = vi.fn(() => Promise.reject(failure));
  const file = sampleModelFile();
  const app = await appWith(file, { remove });
  app.ui.dialog = { name: "remove-model", modelId: file.id };
  const page = showComponent(app, RemoveDialog, { modelId: file.id });
  await reads(page, "removing it deletes the file");
  expect(button(page, "Take off the list")).toBeUndefined();
  button(page, "Delete the file")?.click();
  expect(remove).toHaveBeenCalledWith({ modelId: file.id, deletesFile: true });
  await reads(page, "The file is in use.");
  expect(app.ui.dialog).not.toBeNull();
});

test("an option says what it does to memory, and is stored", async () => {
  const plan = ({ options }: PlanInput) =>
    Promise.resolve(samplePlan({ totalBytes: options?.keyType === "q8_0" ? 3.4e9 : 4e9 }));
  const updateFile = vi.fn(() => Promise.resolve());
  const file = sampleModelFile({ name: "Lantern" });
  const app = await appWith(file, { plan, updateFile });
  const page = showComponent(app, LoadOptionsDialog, { modelId: file.id });
  await reads(page, "4.00\u00a0GB with 8,192 tokens of context");
  const keys = [...page.querySelectorAll("fieldset")].find((one) => one.textContent.includes("Keys kept as"));
  keys?.querySelector<HTMLInputElement>("input[value=q8_0]")?.click();
  await reads(page, "600\u00a0MB less memory");
  button(page, "Save")?.click();
  expect(updateFile).toHaveBeenCalledWith({
    modelId: file.id,
    patch: { ...file.loadOptions, keyType: "q8_0" },
  });
});

test("options that would be refused say why, and cannot be stored", async () => {
  const refusal = new ORPCError("OPTIONS_REFUSED", {
    message: "Values in Q8_0 need flash attention.",
    data: { problem: "values-need-flash-attention", file: "a.gguf" },
  });
  const file = sampleModelFile();
  const app = await appWith(file, { plan: () => Promise.reject(refusal) });
  const page = showComponent(app, LoadOptionsDialog, { modelId: file.id });
  await reads(page, "Values in Q8_0 need flash attention.");
  expect(button(page, "Save")?.disabled).toBe(true);
});
