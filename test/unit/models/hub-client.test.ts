import { describe, expect, test } from "vitest";
import { HubClient } from "../../../src-main/models/hub-client.ts";
import type { FetchSettings } from "../../../src-main/models/fetch-settings.ts";
import { firstCommit, hubWith, json, sha256Of, treeOf } from "../../helpers/hub-repositories.ts";
import { addressOfNobody, type Answer, isSilent, refuses, startModelHub } from "../../helpers/model-hub.ts";
import { localSettings } from "../../helpers/small-model.ts";

const content = Buffer.from("GGUF");
const repository = { files: { "m-Q4_K_M.gguf": content, "m-Q8_0.gguf": Buffer.from("GGUF and more") } };
const never = new AbortController().signal;

function filesAt(hubUrl: string, name = "someone/model", settings: Partial<FetchSettings> = {}) {
  return new HubClient(localSettings({ hubUrl, ...settings })).files(name, null, never);
}

async function filesFrom(answer: Answer, settings: Partial<FetchSettings> = {}) {
  return filesAt((await startModelHub(answer)).url, "someone/model", settings);
}

/** Answers about the repository, and something else about its files. */
function withTree(answer: Answer): Answer {
  return (request, response) => {
    const about = hubWith({ "someone/model": repository });
    (request.url?.includes("/tree/") === true ? answer : about)(request, response);
  };
}

function failure(reason: string) {
  return { code: "HUB_FAILED", data: { reason, name: "someone/model" } };
}

describe("what a repository has", () => {
  test("is told for its newest commit, with sizes and checksums", async () => {
    expect(await filesFrom(hubWith({ "someone/model": repository }))).toEqual({
      repository: "someone/model",
      revision: firstCommit,
      suggestedLevel: "Q4_K_M",
      levels: [
        {
          name: "Q4_K_M",
          quantization: "Q4_K_M",
          sizeBytes: 4,
          files: [{ path: "m-Q4_K_M.gguf", sizeBytes: 4, sha256: sha256Of(content) }],
        },
        expect.objectContaining({ name: "Q8_0", sizeBytes: 13 }),
      ],
      others: [],
    });
  });

  test("is asked for with the name and nothing else", async () => {
    const hub = await startModelHub(hubWith({ "someone/model": repository }));
    await filesAt(hub.url);
    const names = hub.requests.flatMap((headers) => Object.keys(headers));
    expect(names.filter((name) => ["authorization", "cookie", "referer", "from", "origin"].includes(name))).toEqual([]);
  });

  test("of a commit is asked for once", async () => {
    const hub = await startModelHub(hubWith({ "someone/model": repository }));
    const client = new HubClient(localSettings({ hubUrl: hub.url }));
    const newest = await client.files("someone/model", null, never);
    expect(hub.requests).toHaveLength(2);
    expect(await client.files("someone/model", firstCommit, never)).toBe(newest);
    expect(hub.requests).toHaveLength(2);
  });

  test("is told under the name it has now, where it was renamed", async () => {
    const now = hubWith({ "someone/new": repository });
    const files = await filesFrom((request, response) => {
      if (request.url?.includes("someone/model") !== true) now(request, response);
      else response.writeHead(307, { location: request.url.replace("someone/model", "someone/new") }).end();
    });
    expect(files.repository).toBe("someone/new");
  });

  test("may take several pages", async () => {
    const [one = "", two = ""] = Object.keys(repository.files);
    const page = (path: string) => treeOf({ files: { [path]: content } });
    const files = await filesFrom(
      withTree((request, response) => {
        const isSecond = request.url?.includes("cursor=next") === true;
        const next = { link: '<https://elsewhere.invalid/x?recursive=true&cursor=next>; rel="next"' };
        json(response, page(isSecond ? two : one), isSecond ? {} : next);
      }),
    );
    expect(files.levels).toHaveLength(2);
  });

  test("does not count where it could not be verified, or would land elsewhere", async () => {
    const stranger = treeOf({ files: { "../../evil-Q8_0.gguf": content, "m-Q4_K_M.gguf": content } });
    const plain = { type: "file", oid: "0".repeat(40), size: 4, path: "plain.gguf" };
    const files = await filesFrom(
      withTree((_request, response) => {
        json(response, [...stranger, plain]);
      }),
    );
    expect(files.levels.flatMap((level) => level.files.map(({ path }) => path))).toEqual(["m-Q4_K_M.gguf"]);
  });
});

describe("a hub that does not tell", () => {
  test.each([
    ["knows no such repository", hubWith({}), "no-repository", /nothing under the name someone\/model/],
    ["says it is not there", refuses(404), "no-repository", /private/],
    ["forbids it", refuses(403), "gated", /agreed to its terms/],
    ["wants consent", hubWith({ "someone/model": { ...repository, gated: "manual" } }), "gated", /in a browser/],
    [
      "has no models there",
      hubWith({ "someone/model": { files: { "model.safetensors": content } } }),
      "no-models",
      /no GGUF file/,
    ],
    ["is broken", refuses(500), "not-understood", /"500 Internal Server Error"/],
    ["breaks off", (request) => request.socket.destroy(), "unreachable", /broke off/],
    ["sends no JSON", (_request, response) => response.end("<html>"), "not-understood", /not JSON/],
    [
      "sends other JSON",
      (_request, response) => {
        json(response, [1]);
      },
      "not-understood",
      /another form/,
    ],
    [
      "has no end of files",
      withTree((_request, response) => {
        json(response, [], { link: '<?cursor=more>; rel="next"' });
      }),
      "not-understood",
      /too many files/,
    ],
    [
      "sends without an end",
      (_request, response) => response.end(Buffer.alloc(9 * 2 ** 20, " ")),
      "not-understood",
      /too long/,
    ],
  ])("because it %s is explained", async (_, answer, reason, sentence) => {
    const files = filesFrom(answer);
    await expect(files).rejects.toMatchObject(failure(reason));
    await expect(files).rejects.toThrow(sentence);
  });

  test.each([
    ["1", "1 second."],
    ["300", "5 minutes."],
    [undefined, "a few minutes."],
  ])("because it is asked too much says how long to wait: %s", async (retryAfter, end) => {
    const files = filesFrom((_request, response) => {
      response.writeHead(429, retryAfter === undefined ? {} : { "retry-after": retryAfter }).end();
    });
    await expect(files).rejects.toMatchObject(failure("rate-limited"));
    await expect(files).rejects.toThrow(end);
  });

  test("because nobody is there", async () => {
    await expect(filesAt(await addressOfNobody())).rejects.toMatchObject(failure("unreachable"));
  });

  test("because it says nothing", async () => {
    const files = filesFrom(isSilent, { connectTimeoutMs: 50, stallTimeoutMs: 50 });
    await expect(files).rejects.toMatchObject(failure("unreachable"));
  });

  test("in time, when nobody wants to know any more", async () => {
    const hub = await startModelHub(isSilent);
    const abort = new AbortController();
    const files = new HubClient(localSettings({ hubUrl: hub.url })).files("someone/model", null, abort.signal);
    abort.abort(new Error("never mind"));
    await expect(files).rejects.toThrow("never mind");
  });

  test("is not asked for what is no name", async () => {
    const hub = await startModelHub(refuses(500));
    await expect(filesAt(hub.url, "../../etc/passwd")).rejects.toMatchObject({ code: "INVALID_INPUT" });
    expect(hub.requests).toHaveLength(0);
  });
});
