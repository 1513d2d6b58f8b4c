import { ORPCError } from "@orpc/client";
import { expect, test, vi } from "vitest";
import { quantizationLevels } from "../../../src-main/contract/quantization-levels.ts";
import type { Quantization, QuantizationPlan, QuantizeInput } from "../../../src-main/contract/quantization.ts";
import { says } from "../../helpers/connected-app.ts";
import { eventSource } from "../../helpers/event-source.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";
import { samplePlan, sampleQuantization } from "../../helpers/sample-quantization.ts";
import { control, pageText, showPage } from "../../helpers/shown-page.ts";

const file = sampleModelFile({ id: "m1", path: "/models/m-F16.gguf", name: "Qwen3 4B", sizeBytes: 8e9 });

async function openDialog(
  plan: (target: { level: string; imatrixPath: string | null }) => Partial<QuantizationPlan>,
  parts: Record<string, (...parameters: never[]) => unknown> = {},
) {
  const quantize = vi.fn<(input: QuantizeInput) => Promise<unknown>>(() => Promise.resolve(sampleQuantization()));
  const models = {
    watch: () => says([file]),
    levels: () => Promise.resolve([...quantizationLevels()]),
    planQuantization: (target: { level: string; imatrixPath: string | null }) =>
      Promise.resolve(samplePlan({ level: target.level, ...plan(target) })),
    quantize,
    ...parts,
  };
  const app = await showPage("/models", { models });
  app.ui.dialog = { name: "quantize", modelId: "m1" };
  return { app, quantize };
}

async function sees(text: string): Promise<void> {
  await vi.waitFor(
    () => {
      expect(pageText()).toContain(text);
    },
    { timeout: 5_000 },
  );
}

const isDisabled = (name: string) => control(name).hasAttribute("disabled");

test("every level is offered with its bits and its use, and the plan of the chosen one is told", async () => {
  const { app, quantize } = await openDialog(() => ({}));
  await sees("From Qwen3 4B, 8.00 GB. The file stays as it is.");
  await sees("new file 2.50 GB");
  expect(document.querySelectorAll("input[type=radio]")).toHaveLength(quantizationLevels().length);
  for (const text of ["4.89 bits", "suits most machines", "needs an importance matrix", "shows once it runs"]) {
    expect(pageText()).toContain(text);
  }
  control("Make Q4_K_M").click();
  await vi.waitFor(() => {
    expect(app.ui.dialog).toBeNull();
  });
  expect(quantize.mock.calls.map(([input]) => input)).toEqual([
    { source: { modelId: "m1" }, level: "Q4_K_M", imatrixPath: null, allowRequantize: false, overwrite: false },
  ]);
});

test("a source that lost precision and a file that is there are only used with consent", async () => {
  const { quantize } = await openDialog(() => ({ isLossySource: true, outputExists: true }));
  await sees("quantizing it once more loses more");
  expect(isDisabled("Make Q4_K_M")).toBe(true);
  control(/^Make it all the same/).click();
  control(/^Replace the file that is there/).click();
  await vi.waitFor(() => {
    expect(isDisabled("Make Q4_K_M")).toBe(false);
  });
  control("Make Q4_K_M").click();
  await vi.waitFor(() => {
    expect(quantize.mock.calls[0]?.[0]).toMatchObject({ allowRequantize: true, overwrite: true });
  });
});

test("a level that needs an importance matrix waits for one", async () => {
  const { quantize } = await openDialog(({ imatrixPath }) => ({ needsImatrix: imatrixPath === null }));
  await sees("new file 2.50 GB");
  control(/^IQ2_XS /).click();
  await sees("Importance matrix (needed for this level)");
  await sees("new file 2.50 GB");
  expect(isDisabled("Make IQ2_XS")).toBe(true);
  const field = document.querySelector<HTMLInputElement>("[role=dialog] input[type=text]");
  if (field === null) throw new Error("There is no field for the matrix.");
  field.value = '"/models/im.gguf"';
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await vi.waitFor(
    () => {
      expect(isDisabled("Make IQ2_XS")).toBe(false);
    },
    { timeout: 5_000 },
  );
  control("Make IQ2_XS").click();
  await vi.waitFor(() => {
    expect(quantize.mock.calls[0]?.[0]).toMatchObject({ level: "IQ2_XS", imatrixPath: "/models/im.gguf" });
  });
});

test("a disk without room, and a file that cannot be read, are told before anything begins", async () => {
  const planQuantization = vi.fn<() => Promise<unknown>>(() => Promise.resolve(samplePlan({ freeBytes: 1e9 })));
  await openDialog(() => ({}), { planQuantization });
  await sees("2.50 GB are needed, 1.00 GB are free");
  expect(isDisabled("Make Q4_K_M")).toBe(true);
  const data = { path: "/models/m-F16.gguf", reason: "it is cut off" };
  planQuantization.mockRejectedValueOnce(new ORPCError("MODEL_INVALID", { message: "It is cut off.", data }));
  control(/^Q8_0/).click();
  await sees("It is cut off.");
  expect(isDisabled("Make Q8_0")).toBe(true);
});

test("what is being made shows how far it is, can be cancelled, and can be used when it is done", async () => {
  const list = eventSource<Quantization[]>();
  const cancelQuantization = vi.fn<(input: object) => Promise<void>>(() => Promise.resolve());
  const update = vi.fn<(patch: object) => Promise<unknown>>(() => new Promise(() => undefined));
  const made = sampleModelFile({ id: "made", path: sampleQuantization().path });
  const models = { watch: () => says([file, made]), quantizations: () => list, cancelQuantization };
  const app = await showPage("/models", { models, settings: { update } });
  list.push([sampleQuantization({ fraction: 0.25, secondsLeft: 8 })]);
  await sees("25% of 2.50 GB · 8 s left");
  control("Cancel m-F16.gguf → Q4_K_M").click();
  expect(cancelQuantization.mock.calls).toEqual([[{ quantizationId: "q1" }]]);
  list.push([sampleQuantization({ state: "done", bytes: 2.5e9, fraction: 1 })]);
  await sees("2.50 GB, checked and ready");
  control("Use m-F16.gguf → Q4_K_M").click();
  expect(update.mock.calls).toEqual([[{ modelId: "made" }]]);
  expect(app.models.usable).toHaveLength(2);
});
