/**
 * A real engine process without a model: it speaks the engine contract over process messages and answers with text
 * that follows from the prompt, so that tests of everything above the engine are exact; echo-script.ts has the commands
 * the last message may be. A prompt of more than `contextTokens` words does not fit.
 * Files: the first bytes must be GGUF; a name with `crash` dies while loading, `fails` fails to load, `endless` loads
 * until it is cancelled, `busy` is measured while other programs keep the processor busy.
 */
import { once } from "node:events";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { implement } from "@orpc/server";
import { RPCHandler } from "@orpc/server/message-port";
import {
  engineContract,
  type EngineEvent,
  type GenerateInput,
  type LoadEvent,
  type LoadInput,
} from "../../src-main/contract/engine-contract.ts";
import { RepriseError, toContractError } from "../../src-main/contract/errors.ts";
import type { GgufSummary, LoadedModel, ThreadTuning } from "../../src-main/contract/model.ts";
import { scriptFor } from "./echo-script.ts";
import { sampleReport } from "./sample-report.ts";

const contextTokens = 512;
const neverAborted = new AbortController().signal;
const stops = new Map<string, AbortController>();
let loaded: LoadedModel | null = null;
let turn: Promise<void> = Promise.resolve();

/** Waits for everything asked before. Call what it returns when done. */
async function takeTurn(): Promise<() => void> {
  const before = turn;
  const { promise, resolve } = Promise.withResolvers<undefined>();
  turn = before.then(() => promise);
  await before;
  return () => {
    resolve(undefined);
  };
}

async function inspect(path: string): Promise<GgufSummary> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new RepriseError("MODEL_MISSING", `There is no file at ${path}.`, { path });
  const file = await open(path);
  const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
  await file.close();
  if (buffer.toString("latin1") !== "GGUF") {
    throw new RepriseError("MODEL_INVALID", `${path} is no GGUF file.`, { path, reason: "no GGUF" });
  }
  const name = basename(path, ".gguf");
  return {
    name,
    architecture: "echo",
    quantization: null,
    trainedContextTokens: contextTokens,
    layers: 1,
    sizeBytes: found.size,
  };
}

function dieOfAssertion(): never {
  process.stderr.write("/src/ggml.c:1: GGML_ASSERT(echo) failed\n");
  process.kill(process.pid, "SIGABRT");
  for (;;);
}

/** Measured by this process: its id is among the figures. */
function measureThreads(path: string): ThreadTuning {
  const measured = [{ threads: 1, prefillTokensPerSecond: process.pid, decodeTokensPerSecond: 1 }];
  return { prefill: 1, decode: 1, measured, ...(basename(path).includes("busy") && { underLoad: true as const }) };
}

async function* load({ path, tuning: known }: LoadInput, cancel: AbortSignal): AsyncGenerator<LoadEvent> {
  const finish = await takeTurn();
  try {
    loaded = null;
    yield { type: "progress", fraction: 0.5 };
    const summary = await inspect(path);
    if (basename(path).includes("crash")) dieOfAssertion();
    if (basename(path).includes("fails")) {
      throw new RepriseError("ENGINE_FAILED", "There is not enough memory for this model.", { reason: "memory" });
    }
    if (basename(path).includes("endless") && !cancel.aborted) await once(cancel, "abort");
    cancel.throwIfAborted();
    const tuning = known ?? measureThreads(path);
    loaded = { path, summary, contextTokens, flashAttention: false, tuning, loadMs: 1, template: "model" };
    yield { type: "loaded", model: loaded };
  } finally {
    finish();
  }
}

/** Can be stopped from now on, also before anybody reads. */
function generate(input: GenerateInput): AsyncGenerator<EngineEvent> {
  const stop = new AbortController();
  stops.set(input.generationId, stop);
  return inTurn(input, stop.signal);
}

async function* inTurn(input: GenerateInput, stop: AbortSignal): AsyncGenerator<EngineEvent> {
  const finish = await takeTurn();
  try {
    yield* answer(input, stop);
  } finally {
    stops.delete(input.generationId);
    finish();
  }
}

async function* answer(input: GenerateInput, stop: AbortSignal): AsyncGenerator<EngineEvent> {
  if (loaded === null) throw new RepriseError("ENGINE_FAILED", "No model is loaded.", { reason: "no model" });
  const promptTokens = input.messages.flatMap(({ content }) => content.split(" ")).length;
  if (promptTokens > contextTokens) {
    throw new RepriseError("CONTEXT_FULL", "The conversation is too long.", { promptTokens, contextTokens });
  }
  if (!stop.aborted) yield { type: "prefill", doneTokens: 0, totalTokens: promptTokens };
  if (input.messages.at(-1)?.content === "/hold")
    await new Promise((resolve) => {
      stop.addEventListener("abort", resolve);
    });
  const { words, pauseMs, ending } = scriptFor(input);
  let written = 0;
  for (const text of words) {
    // A real engine's events come one by one, each in a turn of its own.
    await delay(pauseMs);
    if (stop.aborted) break;
    written += 1;
    yield { type: "delta", text, tokens: [written] };
  }
  if (ending === "deaf") await new Promise(() => undefined);
  if (ending === "crash") dieOfAssertion();
  if (ending === "hang") for (;;);
  if (ending === "fail") throw new RepriseError("ENGINE_FAILED", "Decoding failed.", { reason: "decode" });
  const stopReason = stop.aborted ? "stopped" : ending === "context-full" ? ending : "end";
  const answerTokens = Array.from({ length: written }, (_, index) => index + 1);
  const context = { usedTokens: promptTokens + written, sizeTokens: contextTokens };
  const report = sampleReport({ promptTokens, outputTokens: written, stopReason, context });
  yield { type: "done", answerTokens, report };
}

const engine = implement(engineContract).use(async ({ next }) => {
  try {
    return await next();
  } catch (error) {
    throw toContractError(error);
  }
});

/** Errors of a stream pass no middleware. */
async function* typed<Event>(events: AsyncIterable<Event>): AsyncGenerator<Event> {
  try {
    yield* events;
  } catch (error) {
    throw toContractError(error);
  }
}

const router = engine.router({
  ping: engine.ping.handler(() => ({ pid: process.pid, library: "echo", release: "1" })),
  inspect: engine.inspect.handler(({ input }) => inspect(input.path)),
  load: engine.load.handler(({ input, signal = neverAborted }) => typed(load(input, signal))),
  unload: engine.unload.handler(() => {
    loaded = null;
  }),
  generate: engine.generate.handler(({ input }) => typed(generate(input))),
  stop: engine.stop.handler(({ input }) => stops.get(input.generationId)?.abort()),
  shutdown: engine.shutdown.handler(() => {
    setImmediate(() => process.exit(0));
  }),
});

new RPCHandler(router).upgrade({
  onMessage: { addListener: (listener) => process.on("message", listener) },
  onDisconnect: { addListener: (listener) => process.on("disconnect", listener) },
  postMessage: (message: unknown) => process.send?.(message),
});
process.on("disconnect", () => process.exit(0));
