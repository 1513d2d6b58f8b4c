import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createRouterClient } from "@orpc/server";
import type { ContractRouterClient } from "@orpc/contract";
import type {
  CacheOptions,
  engineContract,
  EngineEvent,
  GenerateInput,
  LoadInput,
} from "../../src-main/contract/engine-contract.ts";
import type { LoadedModel } from "../../src-main/contract/model.ts";
import { defaultLoadOptions, type LoadOptions } from "../../src-main/contract/model-settings.ts";
import { afterAll } from "vitest";
import { newId } from "../../src-main/contract/id.ts";
import { Engine } from "../../src-main/engine/engine.ts";
import type { EngineCacheOptions } from "../../src-main/engine/engine-cache.ts";
import { engineRouter } from "../../src-main/engine/engine-router.ts";
import { greedySampling } from "./greedy.ts";
import { message } from "./prompt-message.ts";

export type EngineClient = ContractRouterClient<typeof engineContract>;
type Done = Extract<EngineEvent, { type: "done" }>;

/**
 * An engine in this process, spoken to by its contract: one for all tests of a file, since the library's log works only
 * for the first one in a process. Disposed of after them.
 */
export function engineInProcess(options: EngineCacheOptions = {}): EngineClient {
  const engine = new Engine(options);
  afterAll(async () => {
    await engine[Symbol.asyncDispose]();
    rmSync(emptyCacheFolder, { recursive: true, force: true, maxRetries: 3 });
  });
  return createRouterClient(engineRouter(engine, () => undefined));
}

const emptyCacheFolder = mkdtempSync(join(tmpdir(), "reprise-cache-"));

/** A store that is switched off. */
export function cacheOptions(): CacheOptions {
  return { cacheFolder: emptyCacheFolder, store: { isEnabled: false, budgetBytes: null }, pinned: [] };
}

export interface LoadChoice
  extends Partial<Omit<LoadInput, "path" | "options">>, Partial<Pick<LoadOptions, "contextTokens">> {
  readonly options?: Partial<LoadOptions>;
}

/** Loads with one thread and without a store, unless something else is asked for. */
export async function load(
  client: EngineClient,
  path: string,
  { contextTokens = 1_024, options, ...choice }: LoadChoice = {},
): Promise<{ readonly model: LoadedModel; readonly fractions: number[] }> {
  const tuning = { prefill: 1, decode: 1, measured: [] };
  const fractions: number[] = [];
  for await (const event of await client.load({
    path,
    options: { ...defaultLoadOptions, contextTokens, ...options },
    tuning,
    ...cacheOptions(),
    ...choice,
  })) {
    if (event.type === "loaded") return { model: event.model, fractions };
    fractions.push(event.fraction);
  }
  throw new Error("the load ended without a model");
}

export interface Turn {
  readonly text: string;
  /** The tokens of all deltas. */
  readonly deltaTokens: readonly number[];
  readonly answerTokens: Done["answerTokens"];
  readonly report: Done["report"];
  readonly events: readonly EngineEvent[];
}

/**
 * A request of one user message, or of the messages given, all of one conversation. Greedy and short, unless something
 * else is asked for.
 */
export function request(
  content: string | GenerateInput["messages"],
  sampling: Partial<GenerateInput["sampling"]> = {},
  conversationId = "conversation",
): GenerateInput {
  return {
    generationId: newId(),
    conversationId,
    kind: "turn",
    droppedMessages: 0,
    messages: typeof content === "string" ? [message("user", content)] : content,
    sampling: { ...greedySampling, maxTokens: 24, ...sampling },
  };
}

/** Reads an answer to its end. `onEvent` sees each event as it comes. */
export async function turn(
  client: EngineClient,
  input: GenerateInput,
  onEvent: (event: EngineEvent) => unknown = () => undefined,
): Promise<Turn> {
  const events: EngineEvent[] = [];
  for await (const event of await client.generate(input)) {
    events.push(event);
    await onEvent(event);
  }
  const deltas = events.filter((event) => event.type === "delta");
  const last = events.at(-1);
  if (last?.type !== "done") throw new Error("the answer ended without `done`");
  return {
    text: deltas.map(({ text }) => text).join(""),
    deltaTokens: deltas.flatMap(({ tokens }) => tokens),
    answerTokens: last.answerTokens,
    report: last.report,
    events,
  };
}
