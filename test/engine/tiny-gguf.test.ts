import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { getLlama, LlamaLogLevel, type Llama, type LlamaContext } from "node-llama-cpp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { damagedGguf, type Damage } from "../helpers/damaged-gguf.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { tinyGguf, writeTinyGguf, type TinyModelOptions } from "../helpers/tiny-gguf.ts";

let llama: Llama;

beforeAll(async () => {
  llama = await getLlama({ gpu: false, build: "never", maxThreads: 1, logLevel: LlamaLogLevel.disabled });
});
afterAll(() => llama.dispose());

const prompt = "<|im_start|>user\nhello, what is 水?<|im_end|>\n<|im_start|>assistant\n";

/** Runs `use` on a context of the model, and frees all of it. */
async function withTinyModel<Result>(options: TinyModelOptions, use: (context: LlamaContext) => Promise<Result>) {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), options);
  await using model = await llama.loadModel({ modelPath: path, checkTensors: true });
  await using context = await model.createContext({ contextSize: 1_024, batchSize: 64, threads: 1 });
  return await use(context);
}

/** The likeliest tokens after `text`, up to `count` of them. */
async function continuation(context: LlamaContext, text: string, count: number): Promise<number[]> {
  const sequence = context.getSequence();
  const answer: number[] = [];
  for await (const token of sequence.evaluate(context.model.tokenize(text, true), { temperature: 0 })) {
    answer.push(token);
    if (answer.length === count) break;
  }
  await sequence.dispose();
  return answer;
}

/** Of the tokens that every layer still holds. */
function earliestPosition(context: LlamaContext): number {
  const { _ctx: native } = context as unknown as {
    _ctx: { getSequenceKvCacheMinPosition(sequenceId: number): number };
  };
  return native.getSequenceKvCacheMinPosition(0);
}

test("the same options give the same bytes, another seed gives others, about a megabyte each", () => {
  const first = tinyGguf({ seed: 7 });
  expect(first.equals(tinyGguf({ seed: 7 }))).toBe(true);
  expect(first.equals(tinyGguf({ seed: 8 }))).toBe(false);
  expect(first.length).toBeLessThan(1.2e6);
});

const variants = ["llama", "sliding-window", "recurrent", "hybrid"] as const;

describe.each(variants)("%s", (variant) => {
  test("text comes back from its tokens, and control tokens are single ones", async () => {
    await withTinyModel({ variant }, ({ model }) => {
      const tokens = model.tokenize(prompt, true);
      expect(model.detokenize(tokens, true)).toBe(prompt);
      expect(tokens.filter((token) => model.isEogToken(token))).toHaveLength(1);
      return Promise.resolve();
    });
  });

  test("it goes on without an end, the same way each time, and otherwise after another prompt", async () => {
    await withTinyModel({ variant }, async (context) => {
      const first = await continuation(context, prompt, 24);
      expect(new Set(first).size).toBeGreaterThan(8);
      expect(first).toHaveLength(24);
      expect(await continuation(context, prompt, 24)).toEqual(first);
      expect(await continuation(context, prompt.replace("hello", "Hello"), 24)).not.toEqual(first);
    });
  });

  test("it ends soon where it is asked to", async () => {
    await withTinyModel({ variant, ends: "soon" }, async (context) => {
      expect((await continuation(context, prompt, 200)).length).toBeLessThan(200);
    });
  });

  test("early positions leave the cache only where not every layer keeps every token", async () => {
    await withTinyModel({ variant }, async (context) => {
      const sequence = context.getSequence();
      const filling = context.model.tokenize("water ".repeat(800)).slice(0, 800);
      await sequence.evaluateWithoutGeneratingNewTokens(filling);
      expect(sequence.needsCheckpoints).toBe(variant !== "llama");
      expect(earliestPosition(context) > 0).toBe(variant !== "llama");
    });
  });
});

test.each<Damage>(["truncated-tensors", "truncated-header", "not-gguf", "wrong-magic", "huge-key-count", "empty"])(
  "a file with the damage %s is not loaded",
  async (damage) => {
    const path = join(temporaryFolder(), "damaged.gguf");
    writeFileSync(path, damagedGguf(damage));
    await expect(llama.loadModel({ modelPath: path })).rejects.toThrow();
  },
);
