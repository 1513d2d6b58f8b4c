import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { newId } from "../../src-main/contract/id.ts";
import { defaultLoadOptions } from "../../src-main/contract/model-settings.ts";
import { inPlaceAfter } from "../helpers/cached-chat.ts";
import { codedError } from "../helpers/coded-error.ts";
import { damagedGguf, type Damage } from "../helpers/damaged-gguf.ts";
import { cacheOptions, engineInProcess, load, request, turn, type Turn } from "../helpers/engine-turns.ts";
import { message } from "../helpers/prompt-message.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "../helpers/tiny-gguf.ts";

const client = engineInProcess();

const tinyFile = (options: TinyModelOptions = {}) => writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), options);

/** Loads a tiny model of its own for a test. */
async function loadTiny(options: TinyModelOptions = {}, contextTokens = 1_024): Promise<void> {
  await load(client, await tinyFile(options), { contextTokens });
}

/** About `tokens` tokens of text, the same for the same number. */
const longText = (tokens: number) => Array.from({ length: tokens / 3 }, (_, index) => `${index % 10} hello`).join(" ");

test("it says which process it is, and on what it stands", async () => {
  expect(await client.ping()).toEqual({
    pid: process.pid,
    library: "node-llama-cpp 3.22.1",
    release: "llama.cpp v0.5.0",
  });
});

describe("inspect", () => {
  test("tells what a file is without loading it", async () => {
    expect(await client.inspect({ path: await tinyFile({ layers: 3, name: "Small One" }) })).toMatchObject({
      name: "Small One",
      architecture: "llama",
      quantization: "F16",
      trainedContextTokens: 4_096,
      layers: 3,
    });
  });

  test("a missing file", async () => {
    const path = join(temporaryFolder(), "gone.gguf");
    await expect(client.inspect({ path })).rejects.toThrow(codedError("MODEL_MISSING", { path }));
  });

  test.each<[Damage, RegExp]>([
    ["truncated-tensors", /^broken\.gguf cannot be used: it is incomplete: its last 1 MB are missing\./],
    ["truncated-header", /^broken\.gguf cannot be used: it is incomplete or damaged/],
    ["not-gguf", /^broken\.gguf cannot be used: it is not a GGUF file\. The file was left as it is/],
    ["huge-key-count", /^broken\.gguf cannot be used: it is incomplete or damaged/],
    ["empty", /^broken\.gguf cannot be used: it is not a GGUF file/],
  ])("a file with the damage %s, in a sentence", async (damage, sentence) => {
    const path = join(temporaryFolder(), "broken.gguf");
    writeFileSync(path, damagedGguf(damage));
    const failure = client.inspect({ path });
    await expect(failure).rejects.toThrow(codedError("MODEL_INVALID", { path }));
    await expect(failure).rejects.toThrow(sentence);
  });
});

describe("load", () => {
  test("reports progress, then the model", async () => {
    const path = await tinyFile();
    const { model, fractions } = await load(client, path, { contextTokens: null });
    expect(fractions.at(-1)).toBe(1);
    expect(model).toMatchObject({
      path,
      contextTokens: 4_096,
      flashAttention: true,
      template: "model",
      tuning: { prefill: 1, decode: 1 },
    });
  });

  test("measures threads where none are known, and leaves nothing of it in place", async () => {
    const { model } = await load(client, await tinyFile(), { tuning: null });
    const counts = model.tuning.measured.map(({ threads }) => threads);
    expect(counts).toContain(model.tuning.prefill);
    expect(counts).toContain(model.tuning.decode);
    for (const { prefillTokensPerSecond, decodeTokensPerSecond } of model.tuning.measured) {
      expect(prefillTokensPerSecond).toBeGreaterThan(0);
      expect(decodeTokensPerSecond).toBeGreaterThan(0);
    }
    expect((await turn(client, request("hello"))).report.fromResident).toBe(0);
  });

  test("a template that does not work is replaced, and the model says so", async () => {
    const { model } = await load(client, await tinyFile({ chatTemplate: "{% if %}" }));
    expect(model.template).toBe("fallback");
    expect((await turn(client, request("hello"))).report.outputTokens).toBe(24);
  });

  test("a file that cannot be loaded leaves none loaded, and the next one loads", async () => {
    await loadTiny();
    await expect(load(client, join(temporaryFolder(), "gone.gguf"))).rejects.toThrow(codedError("MODEL_MISSING"));
    await expect(turn(client, request("hello"))).rejects.toThrow(codedError("MODEL_MISSING", { path: null }));
    await loadTiny();
    expect((await turn(client, request("hello"))).report.outputTokens).toBe(24);
  });

  test("a load that nobody waits for any more is given up", async () => {
    await client.unload();
    const stream = await client.load({
      path: await tinyFile(),
      options: defaultLoadOptions,
      tuning: null,
      ...cacheOptions(),
    });
    await stream.return();
    await expect(turn(client, request("hello"))).rejects.toThrow(codedError("MODEL_MISSING"));
  });

  test("after unloading there is none", async () => {
    await loadTiny();
    await client.unload();
    await expect(turn(client, request("hello"))).rejects.toThrow(codedError("MODEL_MISSING"));
  });
});

describe("an answer", () => {
  test("its deltas are its text, and its tokens are theirs", async () => {
    await loadTiny();
    const { text, deltaTokens, answerTokens, report, events } = await turn(client, request("hello"));
    expect(text).not.toBe("");
    expect(answerTokens).toEqual(deltaTokens);
    expect(report).toMatchObject({ outputTokens: 24, stopReason: "length" });
    expect(events[0]).toMatchObject({ type: "prefill", doneTokens: 0 });
  });

  test("every figure of its report is of this answer", async () => {
    await loadTiny();
    const { report } = await turn(client, request("hello"));
    const rowBytes = 2 * 2 * (32 + 32) * 2;
    expect(report.promptTokens).toBe(report.fromResident + report.prefilled);
    expect(report.ttftMs).toBeGreaterThanOrEqual(report.prefillMs);
    expect(report.decodeTokensPerSecond).toBeCloseTo((23 * 1_000) / report.decodeMs, 6);
    expect(report.context).toEqual({ usedTokens: report.promptTokens + 23, sizeTokens: 1_024, limitTokens: 1_024 });
    expect(report.threads).toEqual({ prefill: 1, decode: 1 });
    expect(report.memory).toMatchObject({
      kvBytesPerToken: rowBytes,
      kvAllocated: 1_024 * rowBytes,
      kvLive: report.context.usedTokens * rowBytes,
      kvThisTurn: report.context.usedTokens * rowBytes,
    });
    expect(report.memory.computeBuffers).toBeGreaterThan(0);
    expect(report.memory.processResident).toBeGreaterThan(report.memory.kvAllocated);
  });

  test("ends where the model ends it, and its tokens leave that token out", async () => {
    await loadTiny({ ends: "soon" });
    const { report, answerTokens } = await turn(client, request("hello", { maxTokens: 500 }));
    expect(report.stopReason).toBe("end");
    expect(report.outputTokens).toBe(answerTokens?.length);
    expect(answerTokens).not.toContain(2);
  });

  test("ends before a stop string", async () => {
    await loadTiny();
    const { text } = await turn(client, request("hello"));
    const stop = text.slice(5, 8);
    const stopped = await turn(client, request("hello", { stop: [stop] }));
    expect(stopped.text).toBe(text.slice(0, text.indexOf(stop)));
    expect(stopped.report.stopReason).toBe("stop-string");
  });

  test("ends when the context is full", async () => {
    await loadTiny({}, 256);
    const { report } = await turn(client, request("hello", { maxTokens: null }));
    expect(report.stopReason).toBe("context-full");
    expect(report.context).toEqual({ usedTokens: 256, sizeTokens: 256, limitTokens: 256 });
  });

  test("is the same for the same seed, another for another, and drawn where none is given", async () => {
    await loadTiny();
    const sampling = { temperature: 1.5, topK: 0, topP: 1, minP: 0 };
    const answers: string[] = [];
    for (const seed of [11, 11, 12]) answers.push((await turn(client, request("hello", { ...sampling, seed }))).text);
    expect(answers[1]).toBe(answers[0]);
    expect(answers[2]).not.toBe(answers[0]);
    const drawn = await turn(client, request("hello", { ...sampling, seed: null }));
    const again = await turn(client, request("hello", { ...sampling, seed: drawn.report.seed }));
    expect(again.text).toBe(drawn.text);
  });

  test("a prompt that leaves no room for it is refused, and nothing is lost", async () => {
    await loadTiny({}, 256);
    await expect(turn(client, request(longText(400)))).rejects.toThrow(
      codedError("CONTEXT_FULL", { contextTokens: 256 }),
    );
    expect((await turn(client, request("hello"))).report.outputTokens).toBe(24);
  });

  test("two at once with one id are a mistake", async () => {
    await loadTiny();
    const input = request("hello", { maxTokens: 200 });
    const first = turn(client, input);
    await expect(turn(client, input)).rejects.toThrow(codedError("INVALID_INPUT"));
    expect((await first).report.outputTokens).toBe(200);
  });
});

describe("the conversation in place", () => {
  const system = message("system", "be helpful");
  const question = message("user", "hello, what is water?");

  test("a second turn computes only what is new", async () => {
    await loadTiny();
    const first = await turn(client, request([system, question]));
    const answer = message("assistant", first.text, first.answerTokens);
    const second = await turn(client, request([system, question, answer, message("user", "and then?")]));
    expect(first.report.fromResident).toBe(0);
    expect(second.report.fromResident).toBe(inPlaceAfter(first));
    expect(second.report.prefilled).toBeLessThan(40);
  });

  test("the same question again computes one token, and gives the same answer", async () => {
    await loadTiny();
    const first = await turn(client, request([system, question]));
    const again = await turn(client, request([system, question]));
    expect(again.text).toBe(first.text);
    expect(again.report).toMatchObject({ prefilled: 1, fromResident: first.report.promptTokens - 1 });
  });

  test.each(["llama", "sliding-window"] as const)("%s: an edited message is answered as from cold", async (variant) => {
    await loadTiny({ variant });
    const edited = request([system, message("user", `${longText(300)}!`)]);
    await turn(client, request([system, message("user", longText(300))]));
    const warm = await turn(client, edited);
    await turn(client, request([message("system", "other"), message("user", longText(600))], {}, "another"));
    const cold = await turn(client, { ...edited, generationId: newId() });
    expect(warm.report.fromResident + warm.report.fromShared).toBeGreaterThan(280);
    expect(cold.report.fromResident + cold.report.fromShared).toBeLessThan(20);
    expect(warm.text).toBe(cold.text);
  });

  test("where a window has dropped what would be needed, everything is computed", async () => {
    await loadTiny({ variant: "sliding-window", windowTokens: 32 });
    const { report } = await turn(client, request([system, message("user", longText(900))]));
    expect(report.memory.kvLive).toBeLessThan(report.context.usedTokens * report.memory.kvBytesPerToken);
    const short = await turn(client, request([system, message("user", "short")]));
    expect(short.report.fromResident).toBe(0);
    await client.unload();
    await loadTiny({ variant: "sliding-window", windowTokens: 32 });
    expect((await turn(client, request([system, message("user", "short")]))).text).toBe(short.text);
  });
});

describe("stopping", () => {
  test("an answer that runs keeps its text", async () => {
    await loadTiny();
    const input = request("hello", { maxTokens: null });
    const { text, deltaTokens, answerTokens, report } = await turn(client, input, (event) =>
      event.type === "delta" ? client.stop({ generationId: input.generationId }) : undefined,
    );
    expect(report.stopReason).toBe("stopped");
    expect(text).not.toBe("");
    expect(answerTokens).toEqual(deltaTokens);
  });

  test("a prefill keeps the chunks that are done, and the next time goes on from there", async () => {
    await loadTiny();
    const messages = [message("user", longText(900))];
    const input = request(messages);
    const stopped = await turn(client, input, () => client.stop({ generationId: input.generationId }));
    const { usedTokens } = stopped.report.context;
    expect(stopped.report).toMatchObject({ stopReason: "stopped", outputTokens: 0, ttftMs: null });
    expect(stopped.answerTokens).toEqual([]);
    expect(usedTokens % 256).toBe(0);
    const resumed = await turn(client, request(messages));
    expect(resumed.report.promptTokens).toBeGreaterThan(usedTokens);
    expect(resumed.report.fromResident).toBe(usedTokens);
  });

  test("one that waits ends at once and costs nothing", async () => {
    await loadTiny();
    const running = request("hello", { maxTokens: null });
    const waiting = request("hello");
    const waited: Turn[] = [];
    const first = await turn(client, running, async (event) => {
      if (event.type !== "delta" || waited.length > 0) return;
      const second = turn(client, waiting);
      await client.stop({ generationId: waiting.generationId });
      waited.push(await second);
      await client.stop({ generationId: running.generationId });
    });
    expect(waited[0]).toMatchObject({
      text: "",
      answerTokens: [],
      report: { stopReason: "stopped", promptTokens: 0, outputTokens: 0, ttftMs: null },
    });
    expect(first.report.stopReason).toBe("stopped");
  });

  test("what is over already is no error", async () => {
    await loadTiny();
    const input = request("hello");
    await turn(client, input);
    await client.stop({ generationId: input.generationId });
    await client.stop({ generationId: "never-was" });
  });

  test("a reader that goes away stops the answer, so that the next one's turn comes", async () => {
    await loadTiny({}, 4_096);
    const stream = await client.generate(request("hello", { maxTokens: null }));
    await stream.next();
    const next = turn(client, request("water"));
    await stream.return();
    expect((await next).report.context.usedTokens).toBeLessThan(100);
  });
});

test("answers take turns, and say how long they waited", async () => {
  await loadTiny();
  const both = [request("hello", { maxTokens: 60 }), request("water")].map((input) => turn(client, input));
  const [first, second] = await Promise.all(both);
  expect(second?.report.queueMs).toBeGreaterThan(first?.report.decodeMs ?? Infinity);
});
