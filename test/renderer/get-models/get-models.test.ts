import { ORPCError } from "@orpc/client";
import { expect, test, vi } from "vitest";
import type { ModelDownload } from "../../../src-main/contract/hub.ts";
import { settingsSchema } from "../../../src-main/contract/settings.ts";
import { says } from "../../helpers/connected-app.ts";
import { eventSource } from "../../helpers/event-source.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";
import { sampleDownload, sampleEntry, sampleHubFiles, sampleProposals } from "../../helpers/sample-offers.ts";
import { control, pageText, showPage } from "../../helpers/shown-page.ts";

const defaultFile = sampleModelFile({ id: "default", path: "/models/default.gguf", isDefault: true });

function setUp(parts: Record<string, (...parameters: never[]) => unknown> = {}, address = "/get-models") {
  const hubFiles = vi.fn<(input: { name: string }) => Promise<unknown>>(() => Promise.resolve(sampleHubFiles()));
  const get = vi.fn<(request: object) => Promise<unknown>>(() => Promise.resolve(sampleDownload()));
  const update = vi.fn<(patch: object) => Promise<unknown>>((patch) => Promise.resolve(settingsSchema.parse(patch)));
  const models = {
    watch: () => says([defaultFile]),
    catalogue: () => Promise.resolve([sampleEntry()]),
    proposals: () => Promise.resolve(sampleProposals()),
    hubFiles,
    get,
    ...parts,
  };
  const shown = showPage(address, { models, settings: { update } });
  return { shown, hubFiles, get, update };
}

async function sees(text: string): Promise<void> {
  await vi.waitFor(() => {
    expect(pageText()).toContain(text);
  });
}

test("the catalogue is shown with what each model would take, and the hub is asked for nothing", async () => {
  const { hubFiles, shown } = setUp();
  await shown;
  await sees("Recommended models");
  for (const text of ["Qwen3 4B", "For laptops.", "Apache-2.0", "≈ 2.5 GB", "≈ 4.0 GB", "fits", "≈ 12"])
    await sees(text);
  expect(hubFiles).not.toHaveBeenCalled();
});

test("a model that is chosen is looked up, and the suggested level fetched where nothing else is said", async () => {
  const { get, hubFiles, shown } = setUp();
  const app = await shown;
  await sees("Recommended models");
  app.ui.dialog = { name: "get-model", repository: "qwen3-4b" };
  await sees("suggested");
  expect(hubFiles.mock.calls[0]?.[0]).toEqual({ name: "qwen3-4b" });
  expect(pageText()).toContain("4.28 GB");
  control("Download 2.50 GB").click();
  await vi.waitFor(() => {
    expect(app.ui.dialog).toBeNull();
  });
  expect(get.mock.calls).toEqual([[{ repository: "someone/qwen", revision: "1".repeat(40), level: "Q4_K_M" }]]);
});

test("another level can be chosen, but not one the disk has no room for", async () => {
  const { shown } = setUp({ proposals: () => Promise.resolve(sampleProposals({ diskFreeBytes: 3e9 })) });
  const app = await shown;
  app.ui.dialog = { name: "get-model", repository: "someone/qwen" };
  await sees("suggested");
  control(/^Q8_0/).click();
  await sees("not enough room on the disk: 4.28 GB are needed, 3.00 GB are free");
  expect(control("Download 4.28 GB").hasAttribute("disabled")).toBe(true);
  control(/^Q4_K_M/).click();
  await vi.waitFor(() => {
    expect(control("Download 2.50 GB").hasAttribute("disabled")).toBe(false);
  });
});

test("where the hub cannot be reached a sentence says so, it can be tried again, and the catalogue stays", async () => {
  const sentence = "The model hub cannot be reached (no network).";
  const hubFiles = vi.fn<() => Promise<unknown>>(() => Promise.resolve(sampleHubFiles()));
  const data = { reason: "unreachable", name: "someone/qwen", detail: "no network", retryAfterSeconds: null };
  hubFiles.mockRejectedValueOnce(new ORPCError("HUB_FAILED", { message: sentence, data }));
  const { shown } = setUp({ hubFiles });
  const app = await shown;
  app.ui.dialog = { name: "get-model", repository: "qwen3-4b" };
  await sees(sentence);
  expect(pageText()).toContain("For laptops.");
  control("Try again").click();
  await sees("suggested");
  expect(hubFiles).toHaveBeenCalledTimes(2);
});

test("a model whose terms have to be agreed to leads to its page, after a question, and back", async () => {
  const data = { reason: "gated", name: "someone/qwen", detail: "", retryAfterSeconds: null };
  const hubFiles = () => Promise.reject(new ORPCError("HUB_FAILED", { message: "Agree first.", data }));
  const { shown } = setUp({ hubFiles });
  const app = await shown;
  app.ui.dialog = { name: "get-model", repository: "someone/qwen" };
  await sees("Agree first.");
  control("Open its page").click();
  await sees("Open this address?");
  expect(pageText()).toContain("https://huggingface.co/someone/qwen");
  expect(pageText()).not.toContain("A model wrote it.");
  control("Cancel").click();
  expect(app.ui.dialog).toEqual({ name: "get-model", repository: "someone/qwen" });
});

test("any repository is looked up when it is asked for", async () => {
  const { hubFiles, shown } = setUp();
  const app = await shown;
  await sees("Any other model");
  const field = document.querySelector<HTMLInputElement>("input[placeholder='owner/name']");
  if (field === null) throw new Error("There is no field for a repository.");
  field.value = " https://huggingface.co/someone/else ";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  expect(hubFiles).not.toHaveBeenCalled();
  field.form?.requestSubmit();
  await vi.waitFor(() => {
    expect(app.ui.dialog).toEqual({ name: "get-model", repository: "https://huggingface.co/someone/else" });
  });
});

test("downloads can be paused and resumed; cancelling asks first where something has arrived", async () => {
  const list = eventSource<ModelDownload[]>();
  const calls = vi.fn<(what: string, input: object) => void>();
  const call = (what: string) => (input: object) => {
    calls(what, input);
    return Promise.resolve(sampleDownload());
  };
  const procedures = { pauseDownload: call("pause"), resumeDownload: call("resume"), cancelDownload: call("cancel") };
  const { shown } = setUp({ downloads: () => list, ...procedures });
  const app = await shown;
  list.push([sampleDownload()]);
  await sees("41.0 MB/s · 37 s left");
  control(/^Pause Qwen3 4B/).click();
  list.push([sampleDownload({ state: "paused" })]);
  await sees("Paused · 1.00 GB of 2.50 GB kept");
  control(/^Go on with Qwen3 4B/).click();
  control(/^Cancel Qwen3 4B/).click();
  await sees("Cancel this download?");
  control("Cancel and remove").click();
  list.push([sampleDownload({ state: "queued", doneBytes: 0 })]);
  await sees("Waiting for the one before");
  control(/^Cancel Qwen3 4B/).click();
  expect(app.ui.dialog).toBeNull();
  expect(calls.mock.calls).toEqual(["pause", "resume", "cancel", "cancel"].map((what) => [what, { downloadId: "d1" }]));
});

test("a model that has arrived can be used at once; one that was cancelled has not arrived", async () => {
  const list = eventSource<ModelDownload[]>();
  const { path, repository, revision, level } = sampleDownload();
  const arrivedFile = sampleModelFile({ id: "new", path });
  const awaitDownload = vi.fn(({ downloadId }: { downloadId: string }) =>
    downloadId === "d1"
      ? Promise.resolve({ path, bytes: 2.5e9, sha256: "0".repeat(64), repository, revision, level })
      : Promise.reject(new ORPCError("NOT_FOUND", { message: "Gone.", data: { what: "download", id: downloadId } })),
  );
  const { shown, update } = setUp({
    downloads: () => list,
    awaitDownload,
    watch: () => says([defaultFile, arrivedFile]),
  });
  const app = await shown;
  list.push([sampleDownload(), sampleDownload({ id: "d2", level: "Q8_0" })]);
  await sees("37 s left");
  list.push([]);
  await sees("2.50 GB, verified and ready");
  expect(awaitDownload).toHaveBeenCalledTimes(2);
  expect(app.downloads.arrived).toHaveLength(1);
  control(/^Use Qwen3 4B/).click();
  await vi.waitFor(() => {
    expect(app.route.screen).toBe("chat");
  });
  expect(update.mock.calls).toEqual([[{ modelId: "new" }]]);
  expect(app.downloads.arrived).toEqual([]);
});

test("an empty chat proposes models while nobody has another than the default one, until that is dismissed", async () => {
  const { shown, update } = setUp({}, "/");
  await shown;
  await sees("Models that suit this machine");
  expect(pageText()).toContain("Strongest that fits");
  expect(pageText()).toContain("The small default model answers meanwhile.");
  control("Do not propose models any more").click();
  await vi.waitFor(() => {
    expect(pageText()).not.toContain("Models that suit this machine");
  });
  expect(update.mock.calls).toEqual([[{ showProposals: false }]]);
});

test("an empty chat proposes nothing to who has a model of their own", async () => {
  const { shown } = setUp({ watch: () => says([defaultFile, sampleModelFile({ id: "other" })]) }, "/");
  const app = await shown;
  await vi.waitFor(() => {
    expect(app.offers.found).not.toBeNull();
  });
  expect(pageText()).not.toContain("Models that suit this machine");
});

test("without a network that is said, and the catalogue is shown all the same", async () => {
  vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
  const { shown } = setUp();
  await shown;
  await sees("This computer is offline.");
  await sees("For laptops.");
  vi.restoreAllMocks();
  window.dispatchEvent(new Event("online"));
  await vi.waitFor(() => {
    expect(pageText()).not.toContain("This computer is offline.");
  });
});

test("where the catalogue cannot be had, that is said and can be tried again", async () => {
  const proposals = vi.fn<() => Promise<unknown>>(() => Promise.resolve(sampleProposals()));
  proposals.mockRejectedValueOnce(new ORPCError("INTERNAL", { message: "No catalogue.", data: { reason: "x" } }));
  const { shown } = setUp({ proposals, watch: () => new Promise(() => undefined) });
  await shown;
  await sees("No catalogue.");
  control("Try again").click();
  await sees("For laptops.");
});
