import { join } from "node:path";
import { expect, test } from "vitest";
import type { MachineMemory } from "../../../src-main/contract/machine-fit.ts";
import type { Proposals } from "../../../src-main/contract/proposals.ts";
import { commandSession, jsonFrom } from "../../helpers/command-session.ts";
import { openTestApp, until, writeModel } from "../../helpers/open-test-app.ts";
import { hubWith } from "../../helpers/hub-repositories.ts";
import { startModelHub } from "../../helpers/model-hub.ts";
import { localSettings } from "../../helpers/small-model.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

const machine: MachineMemory = { totalBytes: 16e9, freeBytes: 10e9, reserveBytes: 1e9 };

function openApp(options: Parameters<typeof openTestApp>[0] = {}) {
  return openTestApp({ machineMemory: () => machine, ...options });
}

test("the machine, the disk, and each model of the catalogue are told, without asking the hub", async () => {
  const hub = await startModelHub(hubWith({}));
  const { client } = await openApp({
    fetchSettings: localSettings({ hubUrl: hub.url, freeBytes: () => Promise.resolve(5e9) }),
  });
  const found = await client.models.proposals();
  expect(found).toMatchObject({ machine, diskFreeBytes: 5e9, measured: null });
  const entries = await client.models.catalogue();
  expect(found.forecasts.map(({ catalogueId }) => catalogueId)).toEqual(entries.map(({ id }) => id));
  expect(found.forecasts[0]).toMatchObject({ level: "Q4_K_M", fit: "now", isHere: false, decodeTokensPerSecond: null });
  expect(found.proposals.map(({ reason }) => reason)).toEqual(["strongest", "balanced", "quickest"]);
  expect(hub.requests).toEqual([]);
});

test("a disk that does not tell its room is no reason to say nothing", async () => {
  const fetchSettings = localSettings({ freeBytes: () => Promise.reject(new Error("no such folder")) });
  const { client } = await openApp({ fetchSettings });
  expect((await client.models.proposals()).diskFreeBytes).toBeNull();
});

test("speeds are reckoned from what was measured when the default model was loaded, also under load", async () => {
  const { client } = await openApp();
  const [model] = await client.models.list();
  await client.models.load({ modelId: model?.id ?? "" });
  const { measured, forecasts } = await client.models.proposals();
  expect(measured).toMatchObject({ modelName: "echo", sizeBytes: 4, decodeTokensPerSecond: 1, underLoad: false });
  for (const { decodeTokensPerSecond } of forecasts) expect(decodeTokensPerSecond).toBeGreaterThan(0);

  const busy = await openApp();
  const added = await busy.client.models.add({ path: writeModel(temporaryFolder(), "busy.gguf") });
  await busy.client.models.load({ modelId: added.id });
  expect((await busy.client.models.proposals()).measured).toMatchObject({ modelName: "busy", underLoad: true });
});

test("a model of the catalogue that lies in the models folder is here, and not proposed", async () => {
  const { client, modelsFolder } = await openApp();
  const before = await client.models.proposals();
  const proposed = before.proposals[0]?.catalogueId ?? "";
  const entry = (await client.models.catalogue()).find(({ id }) => id === proposed);
  if (entry === undefined) throw new Error("What is proposed is in no catalogue.");
  writeModel(join(modelsFolder, ...entry.repository.split("/")), "m-Q4_K_M.gguf");
  const after = await client.models.proposals();
  expect(after.forecasts.find(({ catalogueId }) => catalogueId === proposed)).toMatchObject({ isHere: true });
  expect(after.proposals.map(({ catalogueId }) => catalogueId)).not.toContain(proposed);
});

test("proposals can be dismissed for good", async () => {
  const { client, dataFolder, close } = await openApp();
  expect((await client.settings.get()).showProposals).toBe(true);
  await client.settings.update({ showProposals: false });
  await close();
  const again = await openApp({ dataFolder });
  expect((await again.client.settings.get()).showProposals).toBe(false);
});

test("the command line names them, as text and as JSON", async () => {
  const session = commandSession({ folder: temporaryFolder() });
  const { forecasts } = await jsonFrom<Proposals>(session, "models", "proposals");
  expect(forecasts.length).toBeGreaterThan(20);
  const before = session.output().length;
  expect(await session.run("models", "proposals")).toBe(0);
  expect(session.output().slice(before)).toContain("No speed is known before a model has been loaded once.");
  expect(session.errors()).toBe("");
});

test("a repository of the catalogue that is missing on the hub is told in a sentence", async () => {
  const hub = await startModelHub(hubWith({}));
  const { client } = await openApp({ fetchSettings: localSettings({ hubUrl: hub.url }) });
  const [entry] = await client.models.catalogue();
  const name = entry?.repository ?? "";
  const sentence = `The model hub has nothing under the name ${name}. Check how it is written (owner/name); a private repository cannot be fetched.`;
  await expect(client.models.hubFiles({ name: entry?.id ?? "" })).rejects.toMatchObject({
    code: "HUB_FAILED",
    message: sentence,
    data: { reason: "no-repository", name },
  });
  await expect(client.models.get({ repository: entry?.id ?? "" })).rejects.toMatchObject({ message: sentence });
  const events = await client.models.downloads();
  expect(await until(events, () => true)).toEqual([]);
  await events.return();
});
