import { copyFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultModelPath } from "../helpers/default-model.ts";
import { engineInProcess, load, request, turn } from "../helpers/engine-turns.ts";
import { jsonFromCli, oneLineOfError, runCli } from "../helpers/start-cli.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";

const client = engineInProcess();

test("the default model, quantized already, is quantized again only with consent, and answers sensibly then", async () => {
  const folder = temporaryFolder();
  const dataFolder = join(folder, "data");
  const model = join(folder, "default.gguf");
  copyFileSync(await defaultModelPath(), model);
  const words = ["models", "quantize", model, "Q8_0"];
  const refused = await runCli(words, { dataFolder });
  expect(refused.code).toBe(1);
  expect(refused.errors).toMatch(oneLineOfError);
  expect(refused.errors).toContain("F16, BF16, F32 or Q8_0");
  expect(readdirSync(folder).toSorted()).toEqual(["data", "default.gguf"]);

  const made = await jsonFromCli<{ path: string; bytes: number; predictedBytes: number }>(
    dataFolder,
    ...words,
    "--allow-requantize",
  );
  expect(statSync(made.path).size).toBe(made.bytes);
  expect(made.predictedBytes).toBe(made.bytes);
  const loaded = await load(client, made.path, { contextTokens: 512 });
  expect(loaded.model.summary).toMatchObject({ quantization: "Q8_0", layers: 30 });
  const answer = await turn(client, request("Which ocean lies between Europe and America?", { maxTokens: 60 }));
  expect(answer.text).toContain("Atlantic");
});
