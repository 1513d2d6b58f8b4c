import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, expect, test } from "vitest";
import { closeLlama } from "../../../src-main/engine/llama/load-llama.ts";
import { greedySampling } from "../../helpers/greedy.ts";
import { openTinyModel, sharedLlama } from "../../helpers/open-tiny-model.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../../helpers/tiny-gguf.ts";

afterAll(async () => {
  await closeLlama(await sharedLlama());
});

interface Printed {
  readonly jobsAreOrdered: boolean;
  readonly waiting: readonly number[];
  readonly ordered: readonly number[];
  readonly failure: { readonly reason?: string };
  readonly again: readonly number[];
}

test("with one worker, jobs asked for at once choose the same tokens, and a failed one leaves nothing behind", async () => {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"));
  const script = fileURLToPath(new URL("../../helpers/ordered-jobs-script.ts", import.meta.url));
  const env = { ...process.env, UV_THREADPOOL_SIZE: "1" };
  const { stdout } = await promisify(execFile)(process.execPath, [script, path], { env });
  const printed = JSON.parse(stdout) as Printed;
  expect(printed.jobsAreOrdered).toBe(true);
  expect(printed.waiting).toHaveLength(119);
  expect(printed.ordered).toEqual(printed.waiting);
  expect(printed.failure.reason).toContain("could not find a KV slot");
  expect(printed.again).toEqual(printed.waiting);
});

test("within 256 cells the number of threads changes no logit", async () => {
  await using model = await openTinyModel();
  const { context } = model;
  const prompt = model.vocabulary.tokenize("The weather every morning: wind from the north-west.", { special: false });
  const logitsWith = async (threads: number) => {
    context.clear();
    context.setThreads(2);
    await context.computeChunk(0, prompt, false);
    context.setThreads(threads);
    using sampler = model.createSampler(greedySampling, 1, []);
    const all: (Float32Array | null)[] = [];
    for (let position = prompt.length; position < 250; position += 1) {
      const index = await context.computeToken(position, prompt[position % prompt.length] ?? 0);
      if (position % 50 === 0) all.push(await context.logits(index, sampler));
    }
    return all;
  };
  const alone = await logitsWith(1);
  expect(alone.length).toBeGreaterThan(2);
  expect(await logitsWith(2)).toEqual(alone);
});
