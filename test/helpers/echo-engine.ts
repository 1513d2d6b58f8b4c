/**
 * A real engine process without a model: it speaks the engine contract over process messages and answers with text
 * that follows from the prompt, so that tests of everything above the engine are exact; echo-script.ts has the commands
 * the last message may be. A prompt of more than `contextTokens` words does not fit.
 * Files: the first bytes must be GGUF; a name with `crash` dies while loading, `fails` fails to load, `endless` loads
 * until it is cancelled, `busy` is measured while other programs keep the processor busy.
 * Its cache is in echo-cache.ts, its models in memory in echo-residents.ts, its templates in echo-templates.ts; computing
 * takes a millisecond a word. Preparing a draft is done at once; the draft `/hold` until it is ended, `/fail` fails.
 */
import { once } from "node:events";
import { open, stat } from "node:fs/promises";
import { basename } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { implement } from "@orpc/server";
import { RPCHandler } from "@orpc/server/message-port";
import {
  engineContract,
  type CompareEvent,
  type CompareInput,
  type EngineEvent,
  type GenerateInput,
  type LoadEvent,
  type LoadInput,
  type PromptMessage,
  type RefillEvent,
  type SwitchInput,
} from "../../src-main/contract/engine-contract.ts";
import { RepriseError, toContractError } from "../../src-main/contract/errors.ts";
import type { MemoryPlan, PlanInput } from "../../src-main/contract/memory-plan.ts";
import type { GgufSummary, LoadedModel, ThreadTuning } from "../../src-main/contract/model.ts";
import type { EngineSwitchCost } from "../../src-main/contract/model-switch.ts";
import { EchoCache } from "./echo-cache.ts";
import { echoCompare, echoPredict } from "./echo-levels.ts";
import { EchoResidents } from "./echo-residents.ts";
import { scriptFor } from "./echo-script.ts";
import { echoPreview, echoTemplateInUse } from "./echo-templates.ts";
import { sampleReport } from "./sample-report.ts";

type RefillInput = Pick<GenerateInput, "conversationId" | "messages">;

const contextTokens = 512;
const neverAborted = new AbortController().signal;
const stops = new Map<string, AbortController>();
const drafts = new Map<string, AbortController>();
const cache = new EchoCache(contextTokens);
const residents = new EchoResidents();
let refilling = new AbortController();
let hasHeld = false;
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

/** A byte for each token. */
async function plan({
  path,
  contextTokens: asked = contextTokens,
  users = 1,
  budgetBytes = 1e9,
}: PlanInput): Promise<MemoryPlan> {
  const { sizeBytes } = await inspect(path);
  const cacheBytes = asked * users;
  const maxTokens = Math.max(0, budgetBytes - sizeBytes);
  return {
    path,
    weightsBytes: sizeBytes,
    adapterBytes: 0,
    kvBytesPerToken: 1,
    computeBytes: 0,
    reserveBytes: 0,
    maxTokens,
    maxTokensPerUser: Math.floor(maxTokens / users),
    contextTokens: asked,
    users,
    budgetBytes,
    keyType: "f16",
    valueType: "f16",
    flashAttention: false,
    cacheBytes,
    totalBytes: sizeBytes + cacheBytes,
    missingBytes: Math.max(0, sizeBytes + cacheBytes - budgetBytes),
    trainedContextTokens: contextTokens,
    attention: "mha",
    layers: { all: 1, window: 0, state: 0, windowTokens: 0 },
    sources: {
      weightsBytes: "metadata",
      adapterBytes: "metadata",
      kvBytesPerToken: "formula",
      cacheBytes: "formula",
      computeBytes: "estimate",
      reserveBytes: "rule",
      budgetBytes: "given",
      contextTokens: "given",
    },
    measured: null,
  };
}

async function check(path: string) {
  const problem = await inspect(path).then(
    () => null,
    (caught: unknown) => caught as RepriseError,
  );
  if (problem?.code === "MODEL_MISSING") throw problem;
  return { ok: problem === null, problems: problem === null ? [] : [problem.message] };
}

async function details(path: string) {
  const summary = await inspect(path);
  const files = [{ path, sizeBytes: summary.sizeBytes }];
  return { path, kind: "model" as const, files, summary, problem: null, tensors: 0, tensorTypes: [], metadata: {} };
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

async function* load(input: LoadInput, cancel: AbortSignal): AsyncGenerator<LoadEvent> {
  const { path, tuning: known } = input;
  const finish = await takeTurn();
  try {
    cache.open(input);
    cache.loaded(false);
    if (residents.activate(input) === null) {
      yield { type: "progress", fraction: 0.5 };
      residents.add(input, await loadedModel(path, known, cancel));
    }
    residents.use(echoTemplateInUse(input.chatTemplate ?? null));
    cache.loaded(true);
    const model = loaded();
    yield { type: "loaded", model, residents: residents.described };
  } finally {
    finish();
  }
}

async function loadedModel(path: string, known: ThreadTuning | null, cancel: AbortSignal): Promise<LoadedModel> {
  const summary = await inspect(path);
  if (basename(path).includes("crash")) dieOfAssertion();
  if (basename(path).includes("fails")) {
    throw new RepriseError("ENGINE_FAILED", "There is not enough memory for this model.", { reason: "memory" });
  }
  if (basename(path).includes("endless") && !cancel.aborted) await once(cancel, "abort");
  cancel.throwIfAborted();
  const tuning = known ?? measureThreads(path);
  return { path, summary, contextTokens, flashAttention: false, tuning, loadMs: 1, ...echoTemplateInUse(null) };
}

/** A message `/slow` holds it up the first time, until something comes between. */
async function* refill({ conversationId, messages }: RefillInput, caller: AbortSignal): AsyncGenerator<RefillEvent> {
  const totalTokens = fitting(messages);
  refilling.abort();
  refilling = new AbortController();
  const signal = AbortSignal.any([refilling.signal, caller]);
  const { residentTokens, storedTokens } = cache.known(conversationId, totalTokens);
  yield { type: "progress", doneTokens: Math.max(residentTokens, storedTokens), totalTokens };
  const isHeld = !hasHeld && messages.some(({ content }) => content === "/slow");
  hasHeld ||= isHeld;
  if (isHeld && !signal.aborted) await once(signal, "abort");
  if (!signal.aborted) {
    cache.turnEnded(conversationId, totalTokens);
    yield { type: "progress", doneTokens: totalTokens, totalTokens };
  }
  yield { type: "done", tokens: totalTokens, isInterrupted: signal.aborted };
}

async function switchCost(input: SwitchInput): Promise<EngineSwitchCost> {
  const { sizeBytes } = await inspect(input.path);
  const promptTokens = input.messages.length === 0 ? 0 : fitting(input.messages);
  const resident = residents.find(input);
  const closes = resident === null ? residents.closedFor(input) : [];
  const isActive = resident !== null && resident === residents.active;
  const reuse = cache.known(input.conversationId, promptTokens);
  const computeTokens = promptTokens - Math.max(reuse.residentTokens, reuse.storedTokens);
  const speed = input.tuning?.measured[0]?.prefillTokensPerSecond;
  return {
    isActive,
    isResident: resident !== null,
    loadBytes: resident === null ? sizeBytes : 0,
    memoryBytes: sizeBytes + contextTokens,
    isFitting: true,
    keepsActive: residents.active === null || !closes.includes(residents.active.path),
    closes,
    promptTokens,
    ...reuse,
    computeTokens,
    computeMs: speed === undefined ? null : (computeTokens * 1_000) / speed,
  };
}

/** Can be stopped from now on, also before anybody reads. */
function generate(input: GenerateInput): AsyncGenerator<EngineEvent> {
  const stop = new AbortController();
  stops.set(input.generationId, stop);
  refilling.abort();
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

function loaded(): LoadedModel {
  if (residents.active !== null) return residents.active;
  throw new RepriseError("ENGINE_FAILED", "No model is loaded.", { reason: "no model" });
}

function countWords(messages: readonly PromptMessage[]): number {
  return messages.flatMap(({ content }) => content.split(" ")).length;
}

/** The prompt's words. */
function fitting(messages: readonly PromptMessage[]): number {
  loaded();
  const promptTokens = countWords(messages);
  if (promptTokens <= contextTokens) return promptTokens;
  throw new RepriseError("CONTEXT_FULL", "The conversation is too long.", { promptTokens, contextTokens });
}

async function prepare(conversationId: string, messages: readonly PromptMessage[], caller: AbortSignal) {
  const tokens = fitting(messages);
  drafts.get(conversationId)?.abort();
  const end = new AbortController();
  drafts.set(conversationId, end);
  const text = messages.at(-1)?.content ?? "";
  if (text === "/fail") throw new RepriseError("ENGINE_FAILED", "Decoding failed.", { reason: "decode" });
  cache.draft(conversationId, text);
  const signal = AbortSignal.any([end.signal, caller]);
  if (text === "/hold" && !signal.aborted) await once(signal, "abort");
  return { tokens };
}

async function* answer(input: GenerateInput, stop: AbortSignal): AsyncGenerator<EngineEvent> {
  const promptTokens = fitting(input.messages);
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
  const hasGrown = input.messages.at(-1)?.content === "/grow";
  const context = { usedTokens: promptTokens + written, sizeTokens: hasGrown ? 2 * contextTokens : contextTokens };
  const reuse = cache.reuse(input.conversationId, input.messages.at(-1)?.content ?? "", promptTokens);
  const prefilled = promptTokens - reuse.fromResident - reuse.fromStore;
  const { name, quantization: level } = loaded().summary;
  const model = { name, level, weightsHash: null };
  const report = sampleReport({ model, promptTokens, ...reuse, prefilled, outputTokens: written, stopReason, context });
  cache.turnEnded(input.conversationId, context.usedTokens);
  yield { type: "done", answerTokens, report };
}

/** Can be stopped from now on. An id that is still in use is refused. */
function compare(input: CompareInput): AsyncGenerator<CompareEvent> {
  if (input.sides.some(({ generationId }) => stops.has(generationId)))
    throw new RepriseError("INVALID_INPUT", "This answer is being written already.", { reason: "its id is in use" });
  for (const { generationId } of input.sides) stops.set(generationId, new AbortController());
  return comparedInTurn(input);
}

/** Side by side, in one turn; both stay in memory unless one wants it all. */
async function* comparedInTurn(input: CompareInput): AsyncGenerator<CompareEvent> {
  const finish = await takeTurn();
  try {
    for (const { load: wanted } of input.sides.toReversed()) {
      if (residents.activate(wanted) === null)
        residents.add(wanted, await loadedModel(wanted.path, wanted.tuning, neverAborted));
    }
    yield* echoCompare(input, (request) => answer(request, stops.get(request.generationId)?.signal ?? neverAborted));
  } finally {
    for (const { generationId } of input.sides) stops.delete(generationId);
    finish();
  }
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
  details: engine.details.handler(({ input }) => details(input.path)),
  check: engine.check.handler(({ input }) => check(input.path)),
  plan: engine.plan.handler(({ input }) => plan(input)),
  load: engine.load.handler(({ input, signal = neverAborted }) => typed(load(input, signal))),
  unload: engine.unload.handler(() => {
    residents.clear();
    cache.loaded(false);
  }),
  residents: engine.residents.handler(({ signal = neverAborted }) => typed(residents.watch(signal))),
  switchCost: engine.switchCost.handler(({ input }) => switchCost(input)),
  refill: engine.refill.handler(({ input, signal = neverAborted }) => typed(refill(input, signal))),
  generate: engine.generate.handler(({ input }) => typed(generate(input))),
  stop: engine.stop.handler(({ input }) => stops.get(input.generationId)?.abort()),
  measure: engine.measure.handler(({ input }) => {
    loaded();
    const promptTokens = countWords(input.messages);
    const { residentTokens, storedTokens } = cache.known(input.conversationId, promptTokens);
    const computeMs = promptTokens - Math.max(residentTokens, storedTokens);
    const isFitting = promptTokens <= contextTokens;
    return { promptTokens, contextTokens, isFitting, residentTokens, storedTokens, computeMs };
  }),
  warm: engine.warm.handler(({ input }) => {
    fitting(input.messages);
    return { tokens: cache.warm(input.conversationId), isInterrupted: false };
  }),
  prepare: engine.prepare.handler(({ input, signal = neverAborted }) =>
    prepare(input.conversationId, input.messages, signal),
  ),
  templates: {
    use: engine.templates.use.handler(({ input }) => {
      loaded();
      const template = echoTemplateInUse(input.chatTemplate);
      residents.use(template);
      return template;
    }),
    preview: engine.templates.preview.handler(async ({ input }) => {
      await inspect(input.path);
      const isLoaded = residents.described.some(({ path }) => path === input.path);
      return echoPreview(input, isLoaded ? contextTokens : null);
    }),
  },
  compare: engine.compare.handler(({ input }) => typed(compare(input))),
  predict: engine.predict.handler(({ input, signal = neverAborted }) =>
    typed(echoPredict(loaded().path, input, signal)),
  ),
  cache: {
    open: engine.cache.open.handler(({ input }) => {
      cache.open(input);
    }),
    watch: engine.cache.watch.handler(({ signal = neverAborted }) => typed(cache.watch(signal))),
    configure: engine.cache.configure.handler(({ input }) => {
      cache.configure(input);
    }),
    pin: engine.cache.pin.handler(({ input }) => {
      cache.pin(input.conversationIds);
    }),
    clear: engine.cache.clear.handler(() => {
      cache.clear();
    }),
    verify: engine.cache.verify.handler(() => cache.verify()),
    selfTest: engine.cache.selfTest.handler(({ input }) => {
      loaded();
      return cache.selfTest(input.conversationId);
    }),
    conversations: engine.cache.conversations.handler(() => cache.conversations),
    forget: engine.cache.forget.handler(({ input }) => {
      cache.forget(input.conversationId);
    }),
  },
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
