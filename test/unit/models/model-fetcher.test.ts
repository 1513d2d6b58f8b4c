import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FetchStatus } from "../../../src-main/contract/app-status.ts";
import type { FetchSettings } from "../../../src-main/models/fetch-settings.ts";
import { ModelFetcher, type WantedModel } from "../../../src-main/models/model-fetcher.ts";
import { ModelFolder } from "../../../src-main/models/model-folder.ts";
import { firstCommit, hubWith, sha256Of } from "../../helpers/hub-repositories.ts";
import { type Answer, isSilent, refuses, serves, servesOnly, startModelHub } from "../../helpers/model-hub.ts";
import { smallDisk } from "../../helpers/small-disk.ts";
import { localSettings, smallModel } from "../../helpers/small-model.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

const half = smallModel.length / 2;
const [start, end] = [smallModel.subarray(0, half), smallModel.subarray(half)];
const never = new AbortController().signal;

function wanted(files: Readonly<Record<string, Buffer>>): WantedModel {
  const [first, ...rest] = Object.entries(files).map(([path, content]) => ({
    path,
    sizeBytes: content.length,
    sha256: sha256Of(content),
  }));
  if (first === undefined) throw new Error("no file");
  return { repository: "someone/model", revision: firstCommit, files: [first, ...rest] };
}

const single = wanted({ "m-Q8_0.gguf": smallModel });
const split = wanted({ "Q8_0/m-00001-of-00002.gguf": start, "Q8_0/m-00002-of-00002.gguf": end });
const contents = {
  "m-Q8_0.gguf": smallModel,
  "Q8_0/m-00001-of-00002.gguf": start,
  "Q8_0/m-00002-of-00002.gguf": end,
};
const hub = (file?: (content: Buffer) => Answer) => hubWith({ "someone/model": { files: contents } }, file);

function fetcherOn(folder: string, hubUrl: string, settings: Partial<FetchSettings> = {}) {
  return new ModelFetcher(folder, localSettings({ hubUrl, ...settings }));
}

function fetched(fetcher: ModelFetcher, model = single, signal = never): Promise<void> {
  return fetcher.fetch(model, () => undefined, signal);
}

/** Stops it when so much has arrived of the file at `path`. */
async function stopAt(bytes: number, fetcher: ModelFetcher, model: WantedModel, path: string): Promise<void> {
  const abort = new AbortController();
  const stopped = fetched(fetcher, model, abort.signal);
  await expect.poll(() => statSync(`${path}.part`, { throwIfNoEntry: false })?.size).toBe(bytes);
  abort.abort(new Error("later"));
  await expect(stopped).rejects.toThrow("later");
}

async function listed(folder: string): Promise<string[]> {
  return (await new ModelFolder(folder).list()).map(({ path }) => path);
}

describe("a model of the hub", () => {
  test("arrives in a folder of its repository, with nothing half done beside it", async () => {
    const { url } = await startModelHub(hub());
    const folder = temporaryFolder();
    const fetcher = fetcherOn(folder, url);
    await fetched(fetcher);
    const path = join(folder, "someone", "model", "m-Q8_0.gguf");
    expect(fetcher.pathOf(single)).toBe(path);
    expect(readFileSync(path).equals(smallModel)).toBe(true);
    expect(readdirSync(dirname(path)).sort()).toEqual([".m-Q8_0.gguf.verified", "m-Q8_0.gguf"]);
    expect(await listed(folder)).toEqual([path]);
  });

  test("that is here already is not asked for", async () => {
    const server = await startModelHub(hub());
    const fetcher = fetcherOn(temporaryFolder(), server.url);
    await fetched(fetcher);
    await fetched(fetcher);
    expect(server.requests).toHaveLength(1);
    expect(await fetcher.arrivedBytes(single)).toBe(smallModel.length);
  });

  test("in parts is listed when all of them are here, and not before", async () => {
    const asked: string[] = [];
    const seen: string[][] = [];
    const folder = temporaryFolder();
    const answer = hub();
    const { url } = await startModelHub((request, response) => {
      asked.push(request.url ?? "");
      void listed(folder).then((models) => {
        seen.push(models);
        answer(request, response);
      });
    });
    const fetcher = fetcherOn(folder, url);
    const statuses: FetchStatus[] = [];
    await fetcher.fetch(split, (status) => statuses.push(status), never);
    expect(asked.map((path) => path.slice(-19))).toEqual(
      ["-00002-of-00002.gguf", "-00001-of-00002.gguf"].map((name) => name.slice(-19)),
    );
    expect(seen).toEqual([[], []]);
    expect(await listed(folder)).toEqual([fetcher.pathOf(split)]);
    const counts = statuses.flatMap((status) => (status.state === "fetching" ? [status.receivedBytes] : []));
    expect(counts).toEqual([...counts].sort((one, other) => one - other));
    expect(counts.at(-1)).toBe(smallModel.length);
    expect(statuses).toContainEqual(expect.objectContaining({ totalBytes: smallModel.length }));
  });

  test("in parts goes on with the part that is missing", async () => {
    const folder = temporaryFolder();
    const answer = hub();
    const broken = await startModelHub((request, response) => {
      (request.url?.includes("00001-of") === true ? refuses(404) : answer)(request, response);
    });
    await expect(fetched(fetcherOn(folder, broken.url), split)).rejects.toMatchObject({ code: "HUB_FAILED" });
    expect(await listed(folder)).toEqual([]);
    const server = await startModelHub(hub());
    const fetcher = fetcherOn(folder, server.url);
    expect(await fetcher.arrivedBytes(split)).toBe(end.length);
    await fetched(fetcher, split);
    expect(server.requests).toHaveLength(1);
    expect(await listed(folder)).toEqual([fetcher.pathOf(split)]);
  });

  test("is fetched once where two want it at the same time", async () => {
    const server = await startModelHub(hub());
    const folder = temporaryFolder();
    await Promise.all([fetched(fetcherOn(folder, server.url)), fetched(fetcherOn(folder, server.url))]);
    expect(server.requests).toHaveLength(1);
  });

  test("never replaces another file of its name", async () => {
    const server = await startModelHub(hub());
    const fetcher = fetcherOn(temporaryFolder(), server.url);
    const path = fetcher.pathOf(single);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "my own model");
    await expect(fetched(fetcher)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining(path) as string,
    });
    expect(readFileSync(path, "utf8")).toBe("my own model");
    expect(server.requests).toHaveLength(0);
  });

  test.each(["../evil.gguf", "a/../../evil.gguf", "/evil.gguf", "nul.gguf"])("called %s has no place here", (path) => {
    const { repository, revision, files } = single;
    const model: WantedModel = { repository, revision, files: [{ ...files[0], path }] };
    expect(() => fetcherOn("/models", "http://127.0.0.1:9").pathOf(model)).toThrow(/no name for a file/);
  });
});

describe("a model that does not come", () => {
  test.each([
    ["is not there any more", refuses(404), "no-repository"],
    ["needs consent", refuses(403), "gated"],
    ["is asked for too often", refuses(429), "rate-limited"],
    ["is on a broken server", refuses(500), "broken-off"],
    ["breaks off", (request) => request.socket.destroy(), "broken-off"],
    ["is another one", serves(Buffer.alloc(smallModel.length)), "damaged"],
  ])("because it %s is explained, and not listed", async (_, answer, reason) => {
    const { url } = await startModelHub(hub(() => answer));
    const folder = temporaryFolder();
    const fetcher = fetcherOn(folder, url);
    await expect(fetched(fetcher)).rejects.toMatchObject({
      code: "HUB_FAILED",
      data: { reason, name: "someone/model" },
    });
    expect(await listed(folder)).toEqual([]);
    expect(readdirSync(dirname(fetcher.pathOf(single)))).toEqual([]);
  });

  test("because it is stopped keeps what has arrived", async () => {
    const goesQuiet = servesOnly(smallModel, half, () => undefined);
    const { url } = await startModelHub(hub(() => goesQuiet));
    const fetcher = fetcherOn(temporaryFolder(), url);
    await stopAt(half, fetcher, single, fetcher.pathOf(single));
    expect(await fetcher.arrivedBytes(single)).toBe(half);
  });

  test("because there is no room asks nobody, and says how much is missing", async () => {
    const server = await startModelHub(hub());
    const fetcher = fetcherOn(temporaryFolder(), server.url, { freeBytes: () => Promise.resolve(5e6) });
    await expect(fetched(fetcher)).rejects.toMatchObject({
      code: "STORAGE_FAILED",
      data: { reason: "disk-full", detail: "33 MB are needed, 5 MB are free" },
    });
    expect(server.requests).toHaveLength(0);
  });

  test("because the disk is full all the same says so, and comes when there is room", async ({ skip }) => {
    const disk = smallDisk(1);
    if (disk === null) return skip("No disk can be mounted here.");
    const { url } = await startModelHub(hub());
    const fetcher = fetcherOn(disk.folder, url);
    writeFileSync(join(disk.folder, "filler"), Buffer.alloc(900_000));
    await expect(fetched(fetcher)).rejects.toMatchObject({ code: "STORAGE_FAILED", data: { reason: "disk-full" } });
    expect(await listed(disk.folder)).toEqual([]);
    disk.free();
    await fetched(fetcher);
    expect(await listed(disk.folder)).toEqual([fetcher.pathOf(single)]);
  });
});

describe("a model that is not wanted any more", () => {
  test("goes with all that has arrived of it, and with its folders", async () => {
    const answer = hub();
    const goesQuiet = servesOnly(start, 1_000, () => undefined);
    const { url } = await startModelHub((request, response) => {
      (request.url?.includes("00001-of") === true ? goesQuiet : answer)(request, response);
    });
    const folder = temporaryFolder();
    const fetcher = fetcherOn(folder, url);
    await stopAt(1_000, fetcher, split, fetcher.pathOf(split));
    expect(await fetcher.arrivedBytes(split)).toBe(end.length + 1_000);
    await fetcher.discard(split);
    expect(readdirSync(folder)).toEqual([]);
  });

  test("stays where it is whole", async () => {
    const { url } = await startModelHub(hub());
    const fetcher = fetcherOn(temporaryFolder(), url);
    await fetched(fetcher);
    await fetcher.discard(single);
    expect(existsSync(fetcher.pathOf(single))).toBe(true);
  });

  test("stays where somebody else fetches it", async () => {
    const folder = temporaryFolder();
    const asked = Promise.withResolvers<undefined>();
    const { url } = await startModelHub((request, response) => {
      asked.resolve(undefined);
      isSilent(request, response);
    });
    const abort = new AbortController();
    const other = fetched(fetcherOn(folder, url), single, abort.signal);
    await asked.promise;
    const fetcher = fetcherOn(folder, url);
    await fetcher.discard(single);
    expect(existsSync(`${fetcher.pathOf(single)}.lock`)).toBe(true);
    abort.abort(new Error("done"));
    await expect(other).rejects.toThrow("done");
  });
});
