import { flushSync } from "svelte";
import { beforeEach, expect, test, vi } from "vitest";
import type { AppStatus, EngineStatus } from "../../../src-main/contract/app-status.ts";
import type { MemoryPlan } from "../../../src-main/contract/memory-plan.ts";
import type { FamilyCard as Family, FamilyLevel } from "../../../src-main/contract/model-library.ts";
import { defaultFamilySettings } from "../../../src-main/contract/model-settings.ts";
import type { LoadedModel, ModelFile } from "../../../src-main/contract/model.ts";
import { settingsSchema } from "../../../src-main/contract/settings.ts";
import FamilyCard from "../../../src-renderer/models/family-card.svelte";
import { connectedApp, says } from "../../helpers/connected-app.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";
import { samplePlan } from "../../helpers/sample-plan.ts";
import { showComponent } from "../../helpers/show-component.ts";

// Without one everything counts as in sight.
beforeEach(() => {
  vi.stubGlobal("IntersectionObserver", undefined);
});

const summary = {
  name: "Lantern",
  architecture: "llama",
  quantization: "Q4_K_M",
  trainedContextTokens: 131_072,
  layers: 36,
  licence: "apache-2.0",
  sizeBytes: 2.5e9,
};
const file = sampleModelFile({ name: "Lantern 4B", familyId: "f", summary, sizeBytes: 2.5e9 });
const loadedModel: LoadedModel = {
  path: file.path,
  summary,
  contextTokens: 8_192,
  flashAttention: true,
  tuning: { prefill: 2, decode: 2, measured: [] },
  loadMs: 1,
  warnings: ["not-locked"],
  template: "model",
};

interface Shown {
  readonly files?: readonly ModelFile[];
  readonly plan?: MemoryPlan;
  readonly engine?: EngineStatus;
  readonly speed?: FamilyLevel["speed"];
}

async function show({ files = [file], plan = samplePlan(), engine = { state: "idle" }, speed = null }: Shown = {}) {
  const status: AppStatus = {
    version: "1",
    host: "headless",
    dataFolder: "/data",
    modelsFolder: "/models",
    engine,
    fetch: { state: "none" },
    notices: [],
  };
  const family: Family = {
    id: "f",
    name: "Lantern",
    architecture: "llama",
    parametersLabel: "4B",
    levels: files.map(({ id, summary: own, sizeBytes, source, problem }) => ({
      modelId: id,
      level: own?.quantization ?? null,
      sizeBytes,
      source,
      problem,
      memory: null,
      speed,
      isFastestPrefill: false,
      isFastestDecode: speed !== null,
      bitsPerWeight: null,
      isReference: false,
    })),
    settings: defaultFamilySettings,
  };
  const load = vi.fn(() => Promise.resolve());
  const measure = vi.fn<() => Promise<never>>(() => Promise.reject(new Error("gone")));
  const update = vi.fn(() => Promise.resolve(settingsSchema.parse({})));
  const app = connectedApp({
    status: { watch: () => says(status) },
    settings: { watch: () => says(settingsSchema.parse({})), update },
    models: {
      watch: () => says(files),
      families: () => says([family]),
      plan: () => Promise.resolve(plan),
      load,
      measure,
    },
  });
  await vi.waitFor(() => {
    expect(app.models.listed).not.toBeNull();
    expect(app.status.current).not.toBeNull();
  });
  const page = showComponent(app, FamilyCard, { family });
  const settle = async (text: string) => {
    await vi.waitFor(() => {
      flushSync();
      expect(page.textContent).toContain(text);
    });
  };
  const button = (name: string) =>
    [...page.querySelectorAll("button")].find(
      (one) => (one.getAttribute("aria-label") ?? one.textContent.trim()) === name,
    );
  return { app, page, load, measure, update, settle, button };
}

test("a level says what it takes and what fits, and the card what the model is", async () => {
  const { page, settle } = await show();
  await settle("71,680");
  for (const part of ["4.00\u00a0GB", "2.50\u00a0GB", "4B parameters", "36 layers", "Licence: apache-2.0"])
    expect(page.textContent).toContain(part);
  expect(page.textContent).toContain("147,456 bytes of cache per token");
  expect(page.textContent).not.toContain("in memory");
});

test("no speed is told but of what was measured here, and it can be measured", async () => {
  const { page, measure, settle, button } = await show();
  await settle("71,680");
  const cells = [...page.querySelectorAll("tbody td")].map((cell) => cell.textContent.trim());
  expect(cells.slice(3, 5)).toEqual(["Measure", "Models folder"]);
  button("Measure how fast Q4_K_M is")?.click();
  expect(measure).toHaveBeenCalledWith({ modelId: file.id }, expect.anything());
  await settle("Reprise cannot be reached");
});

test("the loaded level says so, how fast it is, and what could not be had", async () => {
  const { page, settle, button } = await show({
    engine: { state: "ready", modelId: file.id, model: loadedModel, residents: [{ modelId: file.id, bytes: 4e9 }] },
    speed: { prefillTokensPerSecond: 151, decodeTokensPerSecond: 26.4, measuredAt: 0, underLoad: false },
  });
  await settle("in memory");
  expect([...page.querySelectorAll("tbody td")].map((cell) => cell.textContent.trim()).slice(3, 5)).toEqual([
    "151",
    "26.4 fastest",
  ]);
  expect(page.textContent).toContain("could not be held in memory");
  expect(button("Use Q4_K_M")).toBeDefined();
});

test("use makes it the model of new conversations, and loads it", async () => {
  const { load, update, settle, button } = await show();
  await settle("71,680");
  button("Use Q4_K_M")?.click();
  await vi.waitFor(() => {
    expect(load).toHaveBeenCalledWith({ modelId: file.id, retry: false }, expect.anything());
  });
  expect(update).toHaveBeenCalledWith({ modelId: file.id });
});

test("what does not fit shows its plan first", async () => {
  const plan = samplePlan({ missingBytes: 1e9, maxTokens: 0, maxTokensPerUser: 0 });
  const { app, load, settle, button } = await show({ plan });
  await settle("does not fit");
  button("Use Q4_K_M")?.click();
  expect(app.ui.dialog).toEqual({ name: "model-plan", modelId: file.id });
  expect(load).not.toHaveBeenCalled();
});

test("a level that brought the engine down says so, is not planned, and can be tried again", async () => {
  const problem = { code: "MODEL_QUARANTINED", message: "The engine stopped over it.", data: {} };
  const { page, load, settle, button } = await show({ files: [{ ...file, problem }] });
  await settle("The engine stopped over it.");
  expect(page.textContent).not.toContain("71,680");
  expect(button("Use Q4_K_M")).toBeUndefined();
  button("Retry")?.click();
  expect(load).toHaveBeenCalledWith({ modelId: file.id, retry: true }, expect.anything());
});

test("another program's file says whose it is, where it lies too, and that it stays as it is", async () => {
  const foreign: ModelFile = {
    ...file,
    source: "lm-studio",
    isReadOnly: true,
    copies: [{ modelId: "m2", path: "/jan/a.gguf", source: "jan" }],
  };
  const { page, settle } = await show({ files: [foreign] });
  await settle("LM Studio, Jan");
  expect(page.textContent).toContain("read-only");
});
