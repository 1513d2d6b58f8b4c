import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { downloadFile } from "../../../src-main/models/download-file.ts";
import type { FetchSettings } from "../../../src-main/models/fetch-settings.ts";
import { startScript } from "../../helpers/child-script.ts";
import { type Answer, isSilent, refuses, serves, servesOnly, startModelHub } from "../../helpers/model-hub.ts";
import { smallDisk } from "../../helpers/small-disk.ts";
import { localSettings, smallModel, smallModelFile } from "../../helpers/small-model.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

const { sizeBytes, sha256 } = smallModelFile;
const half = sizeBytes / 2;
/** Three connections, six parts. */
const inParts = { connections: 3, segmentBytes: sizeBytes / 6 };

function job(hubUrl: string, settings: Partial<FetchSettings> = {}, target = join(temporaryFolder(), "small.gguf")) {
  const watching = { onReceived: (): void => undefined, onWhole: () => undefined };
  const all = localSettings({ hubUrl, ...settings });
  const { signal } = new AbortController();
  return { ...watching, url: `${hubUrl}/file`, sizeBytes, sha256, target, settings: all, signal };
}

function isWhole({ path }: { path: string }): boolean {
  return readFileSync(path).equals(smallModel);
}

/** Answers of one server, by what was asked for. */
function partsBy(answer: (isFirst: boolean) => Answer): Answer {
  let count = 0;
  return (request, response) => {
    count += 1;
    answer(count === 1)(request, response);
  };
}

describe("several connections", () => {
  test("bring a file in parts of the version the first answer named", async () => {
    const hub = await startModelHub(serves(smallModel));
    const arrived = await downloadFile(job(hub.url, inParts));
    expect(isWhole(arrived)).toBe(true);
    expect(arrived.sha256).toBe(sha256);
    const [first, ...others] = hub.requests.map(({ range }) => range);
    expect(first).toBe("bytes=0-49999");
    // Asked for over several connections, they arrive in any order.
    expect(others.sort()).toEqual([
      "bytes=100000-149999",
      "bytes=150000-199999",
      "bytes=200000-249999",
      "bytes=250000-",
      "bytes=50000-99999",
    ]);
    expect(hub.requests.map((headers) => headers["if-range"])).toEqual([
      undefined,
      ...Array<string>(5).fill('"first"'),
    ]);
  });

  test("work at the same time", async () => {
    const waiting: (() => void)[] = [];
    /** Answers nobody until three have asked. */
    const together: Answer = (request, response) => {
      waiting.push(() => {
        serves(smallModel)(request, response);
      });
      if (waiting.length === 3) for (const answer of waiting.splice(0)) answer();
    };
    // Six parts: the first alone shows what the server can; of the other five three are asked for at once, then two.
    const hub = await startModelHub(
      serves(smallModel),
      together,
      together,
      together,
      serves(smallModel),
      serves(smallModel),
    );
    expect(isWhole(await downloadFile(job(hub.url, inParts)))).toBe(true);
  });

  test("report every byte once", async () => {
    const hub = await startModelHub(serves(smallModel));
    const counts: number[] = [];
    await downloadFile({ ...job(hub.url, inParts), onReceived: (bytes: number) => counts.push(bytes) });
    expect(counts).toEqual([...counts].sort((one, other) => one - other));
    expect(counts.at(-1)).toBe(sizeBytes);
  });

  test("go on together with what is missing in the middle", async () => {
    let asked = 0;
    /** The third part breaks off in its middle; who asks after that is not answered. */
    const breaksOff: Answer = (request, response) => {
      asked += 1;
      if (asked < 3) serves(smallModel)(request, response);
      else request.socket.destroy();
    };
    const first = await startModelHub(breaksOff);
    const target = join(temporaryFolder(), "small.gguf");
    const retryDelayMs = 0;
    await expect(downloadFile(job(first.url, { ...inParts, retryDelayMs }, target))).rejects.toThrow("broke off");
    const second = await startModelHub(serves(smallModel));
    const again = { ...job(second.url, inParts, target) };
    expect(isWhole(await downloadFile(again))).toBe(true);
    expect(second.requests[0]?.["if-range"]).toBe('"first"');
    expect(second.requests.length).toBeLessThan(6);
  });
});

describe("a server that cannot send parts", () => {
  const whole = (tag?: string): Answer => {
    return (_request, response) => {
      const headers = { "content-length": sizeBytes, ...(tag !== undefined && { etag: tag }) };
      response.writeHead(200, headers).end(smallModel);
    };
  };

  test("is asked once", async () => {
    const hub = await startModelHub(whole('"first"'));
    expect(isWhole(await downloadFile(job(hub.url, inParts)))).toBe(true);
    expect(hub.requests).toHaveLength(1);
  });

  test.each([
    ["without naming their version", undefined],
    ["of a version it names only weakly", 'W/"first"'],
  ])("or sends them %s, sends the whole over one connection", async (_, tag) => {
    const hub = await startModelHub((request, response) => {
      if (request.headers.range === undefined) whole(tag)(request, response);
      else {
        const headers = { "content-range": `bytes 0-49999/${sizeBytes}`, ...(tag !== undefined && { etag: tag }) };
        response.writeHead(206, headers).end(smallModel.subarray(0, 50_000));
      }
    });
    expect(isWhole(await downloadFile(job(hub.url, inParts)))).toBe(true);
    expect(hub.requests.map(({ range }) => range)).toEqual(["bytes=0-49999", undefined]);
  });

  test("after all, once it has sent one, is asked for the whole again", async () => {
    const hub = await startModelHub(partsBy((isFirst) => (isFirst ? serves(smallModel) : whole('"first"'))));
    expect(isWhole(await downloadFile(job(hub.url, inParts)))).toBe(true);
    expect(hub.requests.at(-1)?.range).toBeUndefined();
  });
});

describe("a file that changes while it is fetched", () => {
  const older = serves(Buffer.alloc(sizeBytes), '"older"');

  test("begins anew where the server says so", async () => {
    const hub = await startModelHub(partsBy((isFirst) => (isFirst ? older : serves(smallModel))));
    expect(isWhole(await downloadFile(job(hub.url, inParts)))).toBe(true);
  });

  test("begins anew where the server sends parts of the other version all the same", async () => {
    const liar: Answer = (request, response) => {
      delete request.headers["if-range"];
      serves(smallModel, '"newer"')(request, response);
    };
    const hub = await startModelHub(partsBy((isFirst) => (isFirst ? older : liar)));
    expect(isWhole(await downloadFile(job(hub.url, inParts)))).toBe(true);
  });

  test("begins anew where the rest is not there any more", async () => {
    const target = join(temporaryFolder(), "small.gguf");
    const breaksOff = await startModelHub(
      servesOnly(smallModel, half, (response) => response.destroy()),
      refuses(404),
    );
    await expect(downloadFile(job(breaksOff.url, {}, target))).rejects.toThrow("404");
    const hub = await startModelHub(refuses(416), serves(smallModel));
    expect(isWhole(await downloadFile(job(hub.url, {}, target)))).toBe(true);
    expect(hub.requests.map(({ range }) => range)).toEqual([`bytes=${half}-`, undefined]);
  });

  test("every time is given up", async () => {
    let version = 0;
    const hub = await startModelHub((request, response) => {
      version += 1;
      const tag = `"${version}"`;
      if (request.headers.range === undefined) {
        response.writeHead(200, { "content-length": sizeBytes, etag: tag });
        response.write(smallModel.subarray(0, half), () => response.destroy());
        return;
      }
      delete request.headers["if-range"];
      serves(smallModel, tag)(request, response);
    });
    await expect(downloadFile(job(hub.url, inParts))).rejects.toThrow("it changed the file meanwhile");
  });
});

describe("a server that does not keep to what was asked", () => {
  const part = (range: string, bytes: number): Answer => {
    return (_request, response) => {
      response.writeHead(206, { "content-range": range, etag: '"first"' }).end(smallModel.subarray(0, bytes));
    };
  };

  test.each([
    ["another part", part(`bytes 10-50009/${sizeBytes}`, 50_000), "another part of the file"],
    ["a longer part", part(`bytes 0-99999/${sizeBytes}`, 100_000), "another part of the file"],
    ["no word on which part", part("", 50_000), "another part of the file"],
    ["a part of another file", part("bytes 0-49999/60000", 50_000), "a file of 60000 bytes there instead of 300000"],
    ["more than it said", part(`bytes 0-49999/${sizeBytes}`, 50_001), "it sent more than was asked for"],
  ])("and sends %s is not believed", async (_, answer, reason) => {
    const hub = await startModelHub(answer);
    await expect(downloadFile(job(hub.url, inParts))).rejects.toThrow(reason);
  });

  test("but sends a shorter part is asked for the rest", async () => {
    const short = part(`bytes 0-9999/${sizeBytes}`, 10_000);
    const hub = await startModelHub(short, serves(smallModel));
    expect(isWhole(await downloadFile(job(hub.url, inParts)))).toBe(true);
    expect(hub.requests.filter(({ range }) => range?.startsWith("bytes=10000-"))).toHaveLength(1);
  });
});

describe("a server in trouble", () => {
  const breaksOff = servesOnly(smallModel, half, (response) => response.destroy());

  test.each([500, 502, 503, 504, 429])("that answers %d for a while is asked again", async (status) => {
    const hub = await startModelHub(breaksOff, refuses(status), refuses(status), serves(smallModel));
    expect(isWhole(await downloadFile(job(hub.url)))).toBe(true);
    expect(hub.requests).toHaveLength(4);
  });

  test("that stays in trouble is given up, with what has arrived kept", async () => {
    const hub = await startModelHub(breaksOff, refuses(503));
    const target = join(temporaryFolder(), "small.gguf");
    await expect(downloadFile(job(hub.url, {}, target))).rejects.toThrow('it answered "503 Service Unavailable"');
    expect(statSync(`${target}.part`).size).toBe(half);
  });

  test.each([
    ["seconds", "3600"],
    ["a date", new Date(Date.now() + 3_600_000).toUTCString()],
  ])("that asks for an hour of peace, in %s, gets it", async (_, retryAfter) => {
    const hub = await startModelHub(breaksOff, (_request, response) => {
      response.writeHead(429, { "retry-after": retryAfter }).end();
    });
    await expect(downloadFile(job(hub.url))).rejects.toMatchObject({ status: 429 });
    expect(hub.requests).toHaveLength(2);
  });

  test("that goes quiet is left after a while, and asked for the rest", async () => {
    const quiet = servesOnly(smallModel, half, () => undefined);
    const hub = await startModelHub(quiet, serves(smallModel));
    expect(isWhole(await downloadFile(job(hub.url, { stallTimeoutMs: 50 })))).toBe(true);
  });

  test("that goes quiet on one of several connections is left too", async () => {
    const hub = await startModelHub(serves(smallModel), isSilent, serves(smallModel));
    expect(isWhole(await downloadFile(job(hub.url, { ...inParts, connectTimeoutMs: 200 })))).toBe(true);
  });
});

describe("redirects", () => {
  const to = (location: string): Answer => {
    return (_request, response) => {
      response.writeHead(302, { location }).end();
    };
  };

  test("are followed with nothing that names a person", async () => {
    const store = await startModelHub(serves(smallModel));
    const hub = await startModelHub((request, response) => {
      const headers = { location: `${store.url}${request.url ?? ""}`, "set-cookie": "who=you" };
      response.writeHead(302, headers).end();
    });
    expect(isWhole(await downloadFile(job(hub.url)))).toBe(true);
    const names = Object.keys(store.requests[0] ?? {});
    expect(names.filter((name) => ["authorization", "cookie", "referer", "from", "origin"].includes(name))).toEqual([]);
  });

  test.each([
    ["without encryption", "http://models.invalid/a", "(http://models.invalid)"],
    ["with a password", "https://who:secret@models.invalid/a", "(https://models.invalid)"],
    ["to a file", "file:///etc/passwd", "(null)"],
    ["nowhere", "https://", "an address that is none"],
  ])("%s are refused", async (_, location, reason) => {
    const hub = await startModelHub(to(location));
    await expect(downloadFile(job(hub.url))).rejects.toThrow(reason);
  });

  test("in a circle end", async () => {
    const hub = await startModelHub(to("/again"));
    await expect(downloadFile(job(hub.url))).rejects.toThrow("without an end");
  });
});

test("a process that is killed loses nothing that was recorded", { timeout: 60_000 }, async () => {
  const target = join(temporaryFolder(), "small.gguf");
  const stopsHalfway = await startModelHub(servesOnly(smallModel, half, () => undefined));
  const script = startScript(
    new URL("../../fixtures/download-small-model.ts", import.meta.url),
    target,
    stopsHalfway.url,
  );
  expect(await script.line()).toBe("half");
  await script.kill();
  expect(existsSync(target)).toBe(false);
  const hub = await startModelHub(serves(smallModel));
  expect(isWhole(await downloadFile(job(hub.url, {}, target)))).toBe(true);
  const from = Number(/^bytes=(\d+)-$/.exec(hub.requests[0]?.range ?? "")?.[1]);
  expect(from).toBeGreaterThan(0);
  expect(from).toBeLessThanOrEqual(half);
});

test("a record that does not fit the file beside it is not believed", async () => {
  const target = join(temporaryFolder(), "small.gguf");
  const record = { url: "", sizeBytes, sha256, tag: '"first"', done: [{ from: 0, to: half }] };
  writeFileSync(`${target}.part`, "short");
  writeFileSync(`${target}.part.json`, JSON.stringify(record));
  const hub = await startModelHub(serves(smallModel));
  expect(isWhole(await downloadFile(job(hub.url, {}, target)))).toBe(true);
  expect(hub.requests[0]?.range).toBeUndefined();
});

test("a full disk is said as it is, and the download goes on when there is room", async ({ skip }) => {
  const disk = smallDisk(1);
  if (disk === null) return skip("No disk can be mounted here.");
  const target = join(disk.folder, "small.gguf");
  const hub = await startModelHub(serves(smallModel));
  writeFileSync(join(disk.folder, "filler"), Buffer.alloc(900_000));
  await expect(downloadFile(job(hub.url, {}, target))).rejects.toMatchObject({ code: "ENOSPC" });
  disk.free();
  expect(isWhole(await downloadFile(job(hub.url, {}, target)))).toBe(true);
});
