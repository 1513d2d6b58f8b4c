import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { AppClient } from "../../../src-main/contract/app-contract.ts";
import type { ModelDownload } from "../../../src-main/contract/hub.ts";
import { firstCommit, hubWith, sha256Of, type TestRepository } from "../../helpers/hub-repositories.ts";
import { type Answer, refuses, serves, servesOnly, startModelHub } from "../../helpers/model-hub.ts";
import { openTestApp, until } from "../../helpers/open-test-app.ts";
import { localSettings } from "../../helpers/small-model.ts";

/** Something the echo engine takes for a model. */
const content = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(1_000)]);
const files = { "m-Q4_K_M.gguf": content, "m-Q8_0.gguf": Buffer.concat([content, content]) };
const repositories: Readonly<Record<string, TestRepository>> = {
  "someone/model": { files },
  "someone/other": { files: { "o-Q8_0.gguf": content } },
};
const goesQuiet = servesOnly(content, 500, () => undefined);

/** An app that gets its models from a hub with these answers to requests for files. */
async function appWith(file?: (content: Buffer) => Answer, dataFolder?: string, fetchDefaultModel = true) {
  const hub = await startModelHub(hubWith(repositories, file));
  const fetchSettings = localSettings({ hubUrl: hub.url, recordEveryBytes: 1 });
  const app = await openTestApp({ fetchSettings, fetchDefaultModel, ...(dataFolder !== undefined && { dataFolder }) });
  return { ...app, hub };
}

async function current(client: AppClient): Promise<ModelDownload[]> {
  const events = await client.models.downloads();
  const downloads = await until(events, () => true);
  await events.return();
  return downloads;
}

/** Resolves with the first download when it is running. */
async function firstRunning(client: AppClient): Promise<ModelDownload | undefined> {
  const events = await client.models.downloads();
  const [download] = await until(events, ([one]) => one?.state === "running");
  await events.return();
  return download;
}

/** Asks for the model whose server stops in the middle, and waits until it has. */
async function begun(client: AppClient): Promise<ModelDownload> {
  const download = await client.models.get({ repository: "someone/model" });
  const arrived = () => statSync(`${download.path}.part`, { throwIfNoEntry: false })?.size;
  await expect.poll(arrived, { timeout: 10_000 }).toBe(500);
  return download;
}

describe("offline is a promise:", () => {
  test("the hub is asked for nothing that no person asked for", async () => {
    const { client, hub, close } = await appWith();
    await client.models.list();
    await client.models.catalogue();
    await current(client);
    await client.status.get();
    await close();
    expect(hub.requests).toHaveLength(0);
  });

  test("what a repository has is asked for with that very call", async () => {
    const { client, hub } = await appWith();
    const { levels, suggestedLevel } = await client.models.hubFiles({ name: "someone/model" });
    expect(levels.map(({ name }) => name)).toEqual(["Q4_K_M", "Q8_0"]);
    expect(suggestedLevel).toBe("Q4_K_M");
    expect(hub.requests).toHaveLength(2);
  });
});

describe("a model that is asked for", () => {
  test("arrives, is told with its checksum, and is on the list at once", async () => {
    const { client, modelsFolder } = await appWith();
    const { id, path, level, totalBytes } = await client.models.get({ repository: "someone/model", level: "q8_0" });
    expect({ level, totalBytes }).toEqual({ level: "Q8_0", totalBytes: 2 * content.length });
    expect(await client.models.awaitDownload({ downloadId: id })).toEqual({
      path: join(modelsFolder, "someone", "model", "m-Q8_0.gguf"),
      bytes: 2 * content.length,
      sha256: sha256Of(files["m-Q8_0.gguf"]),
      repository: "someone/model",
      revision: firstCommit,
      level: "Q8_0",
    });
    expect(await current(client)).toEqual([]);
    const events = await client.models.watch();
    expect((await until(events, () => true)).map((model) => model.path)).toContain(path);
    expect(readFileSync(path).equals(files["m-Q8_0.gguf"])).toBe(true);
    // Also for who asks late.
    expect(await client.models.awaitDownload({ downloadId: id })).toMatchObject({ path });
  });

  test.each([
    [{ repository: "someone/model" }, "Q4_K_M"],
    [{ repository: "someone/model", file: "m-Q8_0.gguf" }, "Q8_0"],
    [{ repository: "someone/model", revision: firstCommit, level: "Q4_K_M" }, "Q4_K_M"],
  ])("%j is %s", async (request, level) => {
    const { client } = await appWith();
    const { id } = await client.models.get(request);
    expect(await client.models.awaitDownload({ downloadId: id })).toMatchObject({ level });
  });

  test("by its name in the catalogue is the repository that is named there", async () => {
    const { client } = await appWith();
    const [entry] = await client.models.catalogue();
    await expect(client.models.get({ repository: String(entry?.id).toUpperCase() })).rejects.toMatchObject({
      code: "HUB_FAILED",
      data: { reason: "no-repository", name: entry?.repository },
    });
  });

  test.each([
    [{ repository: "no-such-model" }, "INVALID_INPUT", /not in the catalogue.*qwen3-4b/],
    [{ repository: "someone/model", level: "Q2_K" }, "INVALID_INPUT", /no level “Q2_K”. There are Q4_K_M, Q8_0/],
    [{ repository: "someone/else" }, "HUB_FAILED", /nothing under the name/],
  ])("but is not there is explained: %j", async (request, code, sentence) => {
    const { client } = await appWith();
    const asked = client.models.get(request);
    await expect(asked).rejects.toMatchObject({ code });
    await expect(asked).rejects.toThrow(sentence);
    expect(await current(client)).toEqual([]);
  });
});

describe("a download", () => {
  test("shows how far it is, and others wait for their turn", async () => {
    const { client } = await appWith(() => goesQuiet);
    const { id } = await client.models.get({ repository: "someone/model" });
    const { id: otherId } = await client.models.get({ repository: "someone/other" });
    await firstRunning(client);
    expect(await current(client)).toMatchObject([
      { id, state: "running", totalBytes: content.length, error: null },
      { id: otherId, state: "queued", doneBytes: 0 },
    ]);
  });

  test("that is paused makes way for the next, keeps what has arrived, and goes on when it is resumed", async () => {
    let isQuiet = true;
    const { client, hub } = await appWith((whole) => (isQuiet ? goesQuiet : serves(whole)));
    const { id: downloadId } = await begun(client);
    isQuiet = false;
    const { id: otherId } = await client.models.get({ repository: "someone/other" });
    expect(await client.models.pauseDownload({ downloadId })).toMatchObject({ state: "paused", doneBytes: 500 });
    await client.models.awaitDownload({ downloadId: otherId });
    expect(await current(client)).toMatchObject([{ id: downloadId, state: "paused", doneBytes: 500 }]);
    await client.models.resumeDownload({ downloadId });
    expect(await client.models.awaitDownload({ downloadId })).toMatchObject({ level: "Q4_K_M" });
    expect(hub.requests.at(-1)?.range).toBe("bytes=500-");
  });

  test("that is asked for again is the same, and goes on", async () => {
    const { client } = await appWith(() => goesQuiet);
    const { id: downloadId } = await begun(client);
    await client.models.pauseDownload({ downloadId });
    expect(await client.models.get({ repository: "someone/model" })).toMatchObject({ id: downloadId });
    expect(await firstRunning(client)).toMatchObject({ id: downloadId });
  });

  test("that is cancelled leaves nothing behind", async () => {
    const { client, modelsFolder } = await appWith(() => goesQuiet);
    const { id: downloadId } = await begun(client);
    const waiting = client.models.awaitDownload({ downloadId });
    const told = expect(waiting).rejects.toMatchObject({ code: "NOT_FOUND", data: { what: "download" } });
    await client.models.cancelDownload({ downloadId });
    await told;
    expect(await current(client)).toEqual([]);
    expect(existsSync(join(modelsFolder, "someone"))).toBe(false);
    await expect(client.models.resumeDownload({ downloadId })).rejects.toMatchObject({ code: "NOT_FOUND" });
  });

  test("that fails says why, lets the next one come, and can be resumed", async () => {
    let isBroken = true;
    const { client } = await appWith((whole) => (isBroken ? refuses(404) : serves(whole)));
    const { id: downloadId } = await client.models.get({ repository: "someone/model" });
    await expect(client.models.awaitDownload({ downloadId })).rejects.toMatchObject({ code: "HUB_FAILED" });
    expect(await current(client)).toMatchObject([{ state: "failed", error: { code: "HUB_FAILED" } }]);
    await expect(client.models.awaitDownload({ downloadId })).rejects.toMatchObject({ code: "HUB_FAILED" });
    isBroken = false;
    const { id: otherId } = await client.models.get({ repository: "someone/other" });
    await client.models.awaitDownload({ downloadId: otherId });
    await client.models.resumeDownload({ downloadId });
    expect(await client.models.awaitDownload({ downloadId })).toMatchObject({ repository: "someone/model" });
  });
});

describe("after a restart", () => {
  async function interrupted() {
    const app = await appWith(() => goesQuiet);
    const { id } = await begun(app.client);
    return { ...app, id };
  }

  test("what was running goes on", async () => {
    const { id, dataFolder, close } = await interrupted();
    await close();
    const { client, hub } = await appWith(undefined, dataFolder);
    expect(await client.models.awaitDownload({ downloadId: id })).toMatchObject({ repository: "someone/model" });
    expect(hub.requests.map(({ range }) => range)).toEqual(["bytes=500-"]);
  });

  test("what was paused stays so, with what has arrived", async () => {
    const { id, client, dataFolder, close } = await interrupted();
    await client.models.pauseDownload({ downloadId: id });
    await close();
    const again = await appWith(undefined, dataFolder);
    expect(await current(again.client)).toMatchObject([{ id, state: "paused", doneBytes: 500 }]);
    expect(again.hub.requests).toHaveLength(0);
  });

  test("that only wants to look something up nothing goes on, and the one after it still knows", async () => {
    const { id, dataFolder, close } = await interrupted();
    await close();
    const looking = await appWith(undefined, dataFolder, false);
    expect(await current(looking.client)).toMatchObject([{ id, state: "paused", doneBytes: 500 }]);
    await looking.close();
    expect(looking.hub.requests).toHaveLength(0);
    const { client } = await appWith(undefined, dataFolder);
    expect(await client.models.awaitDownload({ downloadId: id })).toMatchObject({ repository: "someone/model" });
  });

  test("what has arrived is not on its way", async () => {
    const { client, dataFolder, close } = await appWith();
    const { id } = await client.models.get({ repository: "someone/model" });
    await client.models.awaitDownload({ downloadId: id });
    await close();
    expect(JSON.parse(readFileSync(join(dataFolder, "downloads.json"), "utf8"))).toEqual([]);
    expect(readdirSync(dataFolder)).not.toContain("downloads.json.new");
  });
});

test("closing tells who waits, and ends the download", async () => {
  const { client, close } = await appWith(() => goesQuiet);
  const { id: downloadId } = await begun(client);
  const waiting = expect(client.models.awaitDownload({ downloadId })).rejects.toMatchObject({
    code: "CONNECTION_LOST",
  });
  await close();
  await waiting;
});
