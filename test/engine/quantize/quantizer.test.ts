import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { forkEngine } from "../../../src-main/engine-host/fork-engine.ts";
import { Quantizer } from "../../../src-main/engine-host/quantizer.ts";
import { readGgufHeader } from "../../../src-main/gguf/gguf-header.ts";
import { startScript } from "../../helpers/child-script.ts";
import { damagedGguf, type Damage } from "../../helpers/damaged-gguf.ts";
import { engineInProcess, load, request, turn } from "../../helpers/engine-turns.ts";
import { ggufBytes } from "../../helpers/gguf-writer.ts";
import { tinySums, writeImatrix, writeLegacyImatrix } from "../../helpers/imatrix-file.ts";
import { isAlive } from "../../helpers/launch-echo-engine.ts";
import { never, quantizeFile, quantizer, quantizerEntry, requestOf } from "../../helpers/quantize-tiny.ts";
import { writeAligned, writeSplit } from "../../helpers/rearranged-gguf.ts";
import { smallDisk } from "../../helpers/small-disk.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../../helpers/tiny-gguf.ts";

const client = engineInProcess();
const shape = { embedding: 256, layers: 2 };

let folder: string;
let source: string;
beforeEach(async () => {
  folder = temporaryFolder();
  source = await writeTinyGguf(join(folder, "tiny.gguf"), shape);
});

async function answers(path: string): Promise<void> {
  await load(client, path);
  expect((await turn(client, request("hello", { maxTokens: 4 }))).report.outputTokens).toBe(4);
}

describe("an importance matrix", () => {
  const sums = tinySums(shape.embedding, shape.layers);

  test("changes the weights and is named in the file, in both of its formats alike", async () => {
    const plain = readFileSync((await quantizeFile(source, "Q4_K_M")).path);
    const imatrixPath = writeImatrix(join(folder, "text.imatrix"), sums);
    const made = await quantizeFile(source, "Q4_K_M", { imatrixPath });
    expect(made.bytes).toBe(made.forecast.predictedBytes);
    const bytes = readFileSync(made.path);
    expect(bytes.equals(plain)).toBe(false);
    expect(Object.fromEntries(readGgufHeader(made.path).metadata)).toMatchObject({
      "quantize.imatrix.file": "text.imatrix",
      "quantize.imatrix.dataset": "text.txt",
      "quantize.imatrix.entries_count": 14,
      "quantize.imatrix.chunks_count": 3,
    });
    await quantizeFile(source, "Q4_K_M", { imatrixPath: writeLegacyImatrix(imatrixPath, sums) });
    expect(readFileSync(made.path).equals(bytes)).toBe(true);
    await answers(made.path);
  });

  test("of another model is refused", async () => {
    const imatrixPath = writeImatrix(join(folder, "other.gguf"), tinySums(128, 2));
    await expect(quantizer.forecast(requestOf(source, "Q4_K_M", imatrixPath), never)).rejects.toMatchObject({
      code: "INVALID_INPUT",
      message: expect.stringContaining("other.gguf cannot be used as an importance matrix: it was made") as string,
    });
  });
});

describe("a source", () => {
  test.each(["sliding-window", "recurrent", "hybrid"] as const)("of the kind %s is quantized", async (variant) => {
    const path = await writeTinyGguf(join(folder, "kind.gguf"), { ...shape, variant });
    const made = await quantizeFile(path, "Q4_K_M");
    expect(made.bytes).toBe(made.forecast.predictedBytes);
    await answers(made.path);
  });

  test("whose rows fit no block of the level is quantized as far as they do", async () => {
    const path = await writeTinyGguf(join(folder, "narrow.gguf"), { embedding: 96, heads: 3, keyValueHeads: 3 });
    const made = await quantizeFile(path, "Q4_K_M");
    expect(made.bytes).toBe(made.forecast.predictedBytes);
    await answers(made.path);
  });

  test("that is quantized already is known as such, except from Q8_0", async () => {
    const isLossy = async (from: string, to: string) =>
      (await quantizer.forecast(requestOf((await quantizeFile(source, from)).path, to), never)).isLossySource;
    expect(await isLossy("Q4_K_M", "Q8_0")).toBe(true);
    expect(await isLossy("Q8_0", "Q4_K_M")).toBe(false);
    expect(await isLossy("BF16", "Q4_K_M")).toBe(false);
  });

  test("that is quantized already is quantized once more where that was asked for", async () => {
    const { path } = await quantizeFile(source, "Q4_0");
    const made = await quantizeFile(path, "Q8_0");
    expect(made.bytes).toBe(made.forecast.predictedBytes);
    await answers(made.path);
  });

  test("in several parts becomes one file", async () => {
    const made = await quantizeFile(writeSplit(source, join(folder, "split")), "Q4_K_M");
    expect(made.bytes).toBe(made.forecast.predictedBytes);
    expect(readFileSync(made.path).equals(readFileSync((await quantizeFile(source, "Q4_K_M")).path))).toBe(true);
  });

  test("that is aligned otherwise becomes a file that can be read", async () => {
    const path = writeAligned(source, join(folder, "aligned.gguf"), 128);
    const made = await quantizeFile(path, "Q4_K_M");
    expect(made.bytes).toBe(made.forecast.predictedBytes);
    await answers(made.path);
  });

  test.each<Damage>(["truncated-tensors", "truncated-header", "not-gguf", "wrong-magic", "huge-key-count", "empty"])(
    "with the damage %s is refused with a sentence",
    async (damage) => {
      writeFileSync(source, damagedGguf(damage));
      await expect(quantizer.forecast(requestOf(source, "Q4_K_M"), never)).rejects.toMatchObject({
        code: expect.stringMatching(/^(MODEL_INVALID|QUANTIZE_FAILED)$/) as string,
        message: expect.stringMatching(/left as it is\.$/) as string,
      });
    },
  );

  test.each([
    ["an adapter", { "general.type": "adapter", "general.architecture": "llama" }, "an adapter for a model"],
    ["a picture reader", { "general.architecture": "clip" }, "the picture reader of a model"],
    ["of no architecture", {}, "does not say which architecture"],
    ["of an unknown architecture", { "general.architecture": "wonder" }, "unknown model architecture: 'wonder'"],
  ])("that is %s is refused with a sentence", async (_, metadata, reason) => {
    const tensor = { name: "output.weight", shape: [256, 2], values: new Float32Array(512) };
    writeFileSync(source, ggufBytes(metadata, [tensor]));
    await expect(quantizer.forecast(requestOf(source, "Q4_K_M"), never)).rejects.toThrow(reason);
  });
});

describe("the process", () => {
  const outputPath = () => join(folder, ".output.quantizing");
  const make = (through = quantizer, signal = never, path = source) =>
    through.make({ ...requestOf(path, "Q4_K_M"), outputPath: outputPath(), threads: 1 }, () => undefined, signal);

  /** A quantizer whose processes can be looked at, and the last of them. */
  function watched() {
    const launch = forkEngine({ entry: quantizerEntry });
    const pids: number[] = [];
    const through = new Quantizer(() => {
      const child = launch();
      pids.push(Number(child.pid));
      return child;
    });
    return { through, pids };
  }

  test("is gone when the call has ended, however it did", async () => {
    const { through, pids } = watched();
    await make(through);
    writeFileSync(source, "Dear Sir or Madam");
    await expect(make(through)).rejects.toThrow();
    const cancel = new AbortController();
    const cancelled = make(through, cancel.signal);
    cancel.abort(new Error("no more"));
    await expect(cancelled).rejects.toThrow("no more");
    expect(pids.map(isAlive)).toEqual([false, false, false]);
  });

  test.skipIf(process.platform !== "linux")("lets everything else go first, on all of its threads", async () => {
    const child = forkEngine({ entry: quantizerEntry })();
    const request = { task: "quantize", ...requestOf(source, "Q4_K_M"), outputPath: outputPath(), threads: 2 };
    const made = new Promise((resolve) => {
      child.onMessage((message) => {
        if ((message as { type: string }).type === "made") resolve(undefined);
      });
    });
    child.postMessage(request);
    await made;
    const tasks = `/proc/${String(child.pid)}/task`;
    // The 19th field, of those behind the name.
    const nice = readdirSync(tasks).map(
      (task) =>
        readFileSync(join(tasks, task, "stat"), "utf8")
          .split(") ")[1]
          ?.split(" ")[16],
    );
    child.kill();
    expect(new Set(nice)).toEqual(new Set([String(constants.priority.PRIORITY_LOW)]));
  });

  test("goes with the process that started it, and takes its file along", async () => {
    // Large enough to be still at work when it is looked at.
    const large = await writeTinyGguf(join(folder, "large.gguf"), { embedding: 1_024, layers: 3 });
    const owner = startScript(
      new URL("../../helpers/quantizer-owner.ts", import.meta.url),
      quantizerEntry,
      large,
      outputPath(),
    );
    const pid = Number(await owner.line());
    await vi.waitUntil(() => existsSync(outputPath()), { timeout: 20_000 });
    await owner.kill();
    await vi.waitUntil(() => !isAlive(pid), { timeout: 20_000 });
    expect(existsSync(outputPath())).toBe(process.platform === "win32");
  });

  test("started by hand it says what it is and ends", async () => {
    const child = spawn(process.execPath, [quantizerEntry], { stdio: ["ignore", "ignore", "pipe"] });
    let errors = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      errors += text;
    });
    expect(await once(child, "close")).toEqual([2, null]);
    expect(errors).toBe("The quantizer is started by Reprise, not by hand.\n");
  });

  test("tells when the disk is full", async (context) => {
    const disk = smallDisk(1);
    if (disk === null) {
      context.skip("no small disk can be made here");
      return;
    }
    const path = join(disk.folder, "output.quantizing");
    const making = quantizer.make(
      { ...requestOf(source, "F32"), outputPath: path, threads: 1 },
      () => undefined,
      never,
    );
    await expect(making).rejects.toMatchObject({ code: "STORAGE_FAILED", data: { reason: "disk-full" } });
  });
});
