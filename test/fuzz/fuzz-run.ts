/**
 * Gives damaged model files to the whole app with its real engine, one after the other: each is looked into, checked,
 * planned for, and, where it is taken on the list, asked for one token. Whatever happens, the app must answer in time, and
 * each file must end with an answer or a sentence; one that brings the engine down must be in quarantine afterwards.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRouterClient } from "@orpc/server";
import { openReprise } from "../../src-main/app/compose.ts";
import type { AppClient } from "../../src-main/contract/app-contract.ts";
import { defaultSampling } from "../../src-main/contract/conversation.ts";
import { toRepriseError } from "../../src-main/contract/errors.ts";
import { forkEngine } from "../../src-main/engine-host/fork-engine.ts";
import { Mutants, type MutantFile } from "./mutants.ts";

const entryOf = (child: string) => fileURLToPath(new URL(`../../src-main/${child}/entry.ts`, import.meta.url));
/** Far beyond what anything here takes: only what hangs exceeds it. */
const limitMs = 60_000;

export interface Outcome {
  readonly number: number;
  readonly what: string;
  readonly kind: "answered" | "refused" | "failed" | "crashed";
  /** The person's sentence; empty for an answer. */
  readonly sentence: string;
}

interface FuzzOptions {
  readonly seed: number;
  readonly count: number;
  readonly first?: number;
  readonly onOutcome?: (outcome: Outcome) => void;
}

/** Throws with the file's number and what was done to it, at the first one that the app does not survive. */
export async function runFuzz({ seed, count, first = 0, onOutcome }: FuzzOptions): Promise<Outcome[]> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-fuzz-"));
  const mutants = new Mutants(folder, seed);
  const outcomes: Outcome[] = [];
  let app = await openApp(folder);
  try {
    for (let number = first; number < first + count; number += 1) {
      using file = mutants.write(number);
      const outcome = await told(number, file, () => meet(app.client, number, file));
      outcomes.push(outcome);
      onOutcome?.(outcome);
      if (outcome.kind !== "crashed") continue;
      // Opened anew, it must still know; and the engine's pause after several crashes is not waited for.
      await app.close();
      app = await openApp(folder);
      await told(number, file, () => expectQuarantined(app.client, file));
    }
  } finally {
    await app.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
  return outcomes;
}

async function openApp(folder: string) {
  const models = join(folder, "models");
  const source = { path: join(models, "none.gguf"), name: "none", isPresent: absent, fetch: unavailable };
  const reprise = await openReprise({
    dataFolder: join(folder, "data"),
    modelsFolder: models,
    host: "headless",
    version: "0.0.0",
    launchEngine: forkEngine({ entry: entryOf("engine") }),
    launchQuantizer: forkEngine({ entry: entryOf("quantize") }),
    defaultModelSource: source,
    fetchDefaultModel: false,
  });
  const client: AppClient = createRouterClient(reprise.router, { context: {} });
  return { client, close: () => reprise.close() };
}

const absent = () => Promise.resolve(false);
const unavailable = () => Promise.reject(new Error("There is no default model here."));

async function told<T>(number: number, { what }: MutantFile, work: () => Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, limitMs, new Error(`no answer within ${limitMs / 1_000} s`));
  try {
    return await Promise.race([work(), late]);
  } catch (caught) {
    throw new Error(`File ${number} (${what}): ${caught instanceof Error ? caught.message : String(caught)}`, {
      cause: caught,
    });
  } finally {
    clearTimeout(timer);
  }
}

async function meet(client: AppClient, number: number, { path, what }: MutantFile): Promise<Outcome> {
  const known = { number, what };
  await sentenceOf(client.models.inspect({ path }));
  await sentenceOf(client.models.plan({ path }));
  const { ok, problems } = await client.models.check({ path });
  if (ok !== (problems.length === 0)) throw new Error("what the check says contradicts itself");
  const refusal = await sentenceOf(client.models.add({ path }));
  if (refusal !== null) return { ...known, kind: "refused", sentence: refusal };
  const modelId = (await client.models.list()).find((model) => model.path === path)?.id ?? "";
  const answer = await ask(client, modelId);
  const crashed = answer.code === "ENGINE_CRASHED";
  if (crashed) await expectQuarantined(client, { path });
  else await client.models.remove({ modelId });
  const kind = crashed ? "crashed" : answer.sentence === null ? "answered" : "failed";
  return { ...known, kind, sentence: answer.sentence ?? "" };
}

async function ask(client: AppClient, modelId: string): Promise<{ sentence: string | null; code: string | null }> {
  const { id } = await client.conversations.create({ modelId, sampling: oneToken });
  const end = new AbortController();
  const events = await client.chat.watch({ conversationId: id }, { signal: end.signal });
  await client.chat.send({ conversationId: id, text: "Hello, what is this?" });
  for await (const event of events) {
    if (event.type !== "finished") continue;
    end.abort();
    await client.conversations.delete({ conversationId: id });
    const { error } = event.message;
    return { sentence: error === null ? null : checked(error.code, error.message), code: error?.code ?? null };
  }
  throw new Error("the answer never finished");
}

const oneToken = { ...defaultSampling, temperature: 0, seed: 1, maxTokens: 1 };

/** `null` where it was no error. Anything but a sentence meant for a person is a fault. */
async function sentenceOf(call: Promise<unknown>): Promise<string | null> {
  return call.then(
    () => null,
    (caught: unknown) => {
      const { code, message } = toRepriseError(caught);
      return checked(code, message);
    },
  );
}

function checked(code: string, message: string): string {
  if (code === "INTERNAL" || message.trim() === "") throw new Error(`no sentence, but ${code}: ${message}`);
  return message;
}

async function expectQuarantined(client: AppClient, { path }: Pick<MutantFile, "path">): Promise<void> {
  for await (const models of await client.models.watch()) {
    const model = models.find((one) => one.path === path);
    if (model?.problem?.code === "MODEL_QUARANTINED") return;
    if (model?.problem !== null) break;
  }
  throw new Error("a file that brought the engine down is not in quarantine");
}
