/** `reprise models quantize` as people run it: real processes, the real quantizer. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import type { ModelFile } from "../../src-main/contract/model.ts";
import {
  type CliAnswer,
  jsonFromCli,
  oneLineOfError,
  runCli,
  startCli,
  tinyModelAndData,
} from "../helpers/start-cli.ts";
import { writeTinyGguf } from "../helpers/tiny-gguf.ts";

interface Quantized {
  readonly path: string;
  readonly bytes: number;
  readonly predictedBytes: number;
}

test("a quantization is made beside its model, listed, and answers", async () => {
  const { dataFolder, model } = await tinyModelAndData();
  const { path, bytes, predictedBytes } = await jsonFromCli<Quantized>(dataFolder, "models", "quantize", model, "q8_0");
  expect(path).toBe(join(dirname(model), "tiny-Q8_0.gguf"));
  expect([statSync(path).size, predictedBytes]).toEqual([bytes, bytes]);
  const listed = (await jsonFromCli<ModelFile[]>(dataFolder, "models", "list")).find((each) => each.path === path);
  expect(listed).toMatchObject({ sizeBytes: bytes, summary: { quantization: "Q8_0" }, problem: null });
  const words = ["chat", "--model", String(listed?.id), "--max-tokens", "4", "Hello"];
  expect((await jsonFromCli<CliAnswer>(dataFolder, ...words)).report.outputTokens).toBe(4);
});

test("a model that is quantized already is only quantized again with consent", async () => {
  const { dataFolder, model } = await tinyModelAndData();
  const { path } = await jsonFromCli<Quantized>(dataFolder, "models", "quantize", model, "Q4_0");
  const refused = await runCli(["models", "quantize", path, "Q8_0", "--json"], { dataFolder });
  expect(refused).toMatchObject({ code: 1, output: "" });
  expect(refused.errors).toMatch(oneLineOfError);
  expect(refused.errors).toContain("quantized already");
  const words = ["models", "quantize", path, "Q8_0", "--allow-requantize"];
  expect((await jsonFromCli<Quantized>(dataFolder, ...words)).path).toBe(join(dirname(model), "tiny-Q8_0.gguf"));
});

test("stopped in the middle it leaves no file and no process", async () => {
  const { dataFolder, model } = await tinyModelAndData();
  const folder = dirname(model);
  await writeTinyGguf(model, { embedding: 1_024, layers: 3 });
  const cli = startCli(["models", "quantize", model, "IQ4_NL"], { dataFolder });
  const leftOvers = () => readdirSync(folder).filter((name) => name.endsWith(".quantizing"));
  // An empty one is only a probe of the folder.
  const writtenBytes = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false })?.size ?? 0;
  const isBegun = () => leftOvers().some((name) => writtenBytes(name) > 0);
  await vi.waitUntil(() => isBegun() || cli.process.exitCode !== null, { timeout: 60_000 });
  cli.signalGroup("SIGINT");
  expect(await cli.ended).toMatchObject({
    code: 130,
    errors: "reprise: Stopped. Nothing of the quantization was kept.\n",
  });
  await cli.groupEnded();
  expect(existsSync(join(folder, "tiny-IQ4_NL.gguf"))).toBe(false);
  expect(leftOvers()).toEqual([]);
});
