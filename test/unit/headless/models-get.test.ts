import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { ArrivedModel } from "../../../src-main/contract/hub.ts";
import { commandSession, jsonFrom } from "../../helpers/command-session.ts";
import { firstCommit, hubWith, sha256Of } from "../../helpers/hub-repositories.ts";
import { type Answer, serves, servesOnly, startModelHub } from "../../helpers/model-hub.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

// Processes start and end in these tests.
vi.setConfig({ testTimeout: 60_000 });

const content = Buffer.concat([Buffer.from("GGUF"), Buffer.alloc(1_000)]);
const files = { "m-Q4_K_M.gguf": content, "m-Q8_0.gguf": Buffer.concat([content, content]) };

async function hub(file?: (whole: Buffer) => Answer) {
  return startModelHub(hubWith({ "someone/model": { files } }, file));
}

describe("reprise models get", () => {
  test("fetches the level that is named, and says what it is", async () => {
    const folder = temporaryFolder();
    const session = commandSession({ folder, hubUrl: (await hub()).url });
    const arrived = await jsonFrom<ArrivedModel>(session, "models", "get", "someone/model", "--level", "q8_0");
    const path = join(folder, "models", "someone", "model", "m-Q8_0.gguf");
    expect(arrived).toEqual({
      path,
      bytes: 2 * content.length,
      sha256: sha256Of(files["m-Q8_0.gguf"]),
      repository: "someone/model",
      revision: firstCommit,
      level: "Q8_0",
    });
    expect(readFileSync(path).equals(files["m-Q8_0.gguf"])).toBe(true);
    const models = await jsonFrom<{ path: string }[]>(session, "models");
    expect(models.map((model) => model.path)).toContain(path);
    expect(session.errors()).toBe("");
  });

  test("chooses the level that suits most machines where none is named, and says so", async () => {
    const session = commandSession({ folder: temporaryFolder(), isTerminal: true, hubUrl: (await hub()).url });
    expect(await session.run("models", "get", "someone/model")).toBe(0);
    expect(session.errors()).toContain("Q4_K_M (0.0 MB) suits most machines; --level names another.");
    expect(session.output()).toMatch(/^someone\/model Q4_K_M \(0\.0 MB\): .*m-Q4_K_M\.gguf\n$/);
  });

  test("keeps what has arrived when it is stopped, says how to go on, and does", async () => {
    const folder = temporaryFolder();
    const quiet = await hub(() => servesOnly(content, 500, () => undefined));
    const first = commandSession({ folder, hubUrl: quiet.url });
    const ended = first.run("models", "get", "someone/model:Q4_K_M");
    const part = join(folder, "models", "someone", "model", "m-Q4_K_M.gguf.part");
    await expect.poll(() => statSync(part, { throwIfNoEntry: false })?.size, { timeout: 20_000 }).toBe(500);
    first.stop("SIGINT");
    expect(await ended).toBe(130);
    expect(first.errors()).toBe(
      "reprise: Stopped. 0.0 MB of 0.0 MB are kept; to go on: reprise models get someone/model --level Q4_K_M\n",
    );

    const good = await hub(serves);
    const second = commandSession({ folder, hubUrl: good.url });
    await jsonFrom(second, "models", "get", "someone/model", "--level", "Q4_K_M");
    expect(good.requests.at(-1)?.range).toBe("bytes=500-");
  });

  test.each([
    ["someone/else", /nothing under the name someone\/else/],
    ["someone/model:Q2_K", /There are Q4_K_M, Q8_0\./],
    ["no-such-model", /not in the catalogue/],
  ])("%s is explained in one line", async (name, sentence) => {
    const session = commandSession({ folder: temporaryFolder(), hubUrl: (await hub()).url });
    expect(await session.run("models", "get", name, "--json")).toBe(1);
    expect(session.errors()).toMatch(sentence);
    expect(session.errors()).toMatch(/^reprise: [^\n]+\n$/);
    expect(session.output()).toBe("");
  });

  test("a model that does not come is explained in one line", async () => {
    const damaged = await hub((whole) => serves(Buffer.alloc(whole.length)));
    const session = commandSession({ folder: temporaryFolder(), hubUrl: damaged.url });
    expect(await session.run("models", "get", "someone/model")).toBe(1);
    expect(session.errors()).toMatch(/^reprise: What came of someone\/model was not the file[^\n]+\n$/);
  });
});
