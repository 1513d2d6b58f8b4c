/**
 * The whole app as a bench uses it: `reprise serve` in a process of its own on a temporary data folder, spoken to over
 * its WebSocket like by any other client. The clock is this process's.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppClient, Sent } from "../../src-main/contract/app-contract.ts";
import { defaultSampling, type Sampling } from "../../src-main/contract/conversation.ts";
import type { LoadedModel } from "../../src-main/contract/model.ts";
import type { TurnReport } from "../../src-main/contract/turn-report.ts";
import { readInstance } from "../../src-main/loopback/instance-file.ts";
import { connectToInstance } from "../../src-main/loopback/remote-client.ts";
import { serveApp } from "../helpers/served-app.ts";
import { killAtExit } from "./kill-at-exit.ts";

/** A turn may compute thousands of tokens on a busy machine; one that takes longer will never end. */
const turnLimitMs = 15 * 60_000;

export interface TimedAnswer {
  readonly sent: Sent;
  readonly text: string;
  /** From sending to the first text that arrived here. */
  readonly ttftMs: number;
  /** Tokens after the first, by the time from the first text to the last; `null` where all came at once. */
  readonly tokensPerSecond: number | null;
  readonly report: TurnReport;
}

type Connection = Awaited<ReturnType<typeof connect>>;

export class BenchApp implements AsyncDisposable {
  readonly #folder: string;
  readonly #modelPath: string;
  #connection: Connection;

  private constructor(folder: string, modelPath: string, connection: Connection) {
    this.#folder = folder;
    this.#modelPath = modelPath;
    this.#connection = connection;
  }

  /** Resolves when the model is loaded. */
  static async start(modelPath: string): Promise<BenchApp> {
    const folder = await mkdtemp(join(tmpdir(), "reprise-bench-app-"));
    try {
      return new BenchApp(folder, modelPath, await connect(folder, modelPath));
    } catch (caught) {
      await rm(folder, { recursive: true, force: true });
      throw caught;
    }
  }

  get client(): AppClient {
    return this.#connection.client;
  }

  get model(): LoadedModel {
    return this.#connection.model;
  }

  /** As if a person had quit it and opened it again; resolves when the model is loaded. */
  async restart(): Promise<void> {
    await this.#connection.close();
    this.#connection = await connect(this.#folder, this.#modelPath);
  }

  /** The id of a new conversation with the model. */
  async newConversation(sampling: Partial<Sampling>): Promise<string> {
    const { client, modelId } = this.#connection;
    const conversation = await client.conversations.create({ modelId, sampling: { ...defaultSampling, ...sampling } });
    return conversation.id;
  }

  /** Sends (`start` does) and follows the answer to its end. Throws what it failed with. */
  async answer(conversationId: string, start: (client: AppClient) => Promise<Sent>): Promise<TimedAnswer> {
    const signal = AbortSignal.timeout(turnLimitMs);
    const events = await this.client.chat.watch({ conversationId }, { signal });
    await events.next();
    const startedAtMs = performance.now();
    const sending = start(this.client);
    // Nothing would ever come then; the reason is thrown below.
    sending.catch(() => events.return());
    const textTimesMs: number[] = [];
    for await (const event of events) {
      if (event.type === "delta") textTimesMs.push(performance.now());
      if (event.type !== "finished") continue;
      const { content, report, error } = event.message;
      if (error !== null || report === null) throw new Error(error?.message ?? "The answer has no report.");
      const [firstMs = performance.now()] = textTimesMs;
      const tokensPerSecond = speed(report.outputTokens, (textTimesMs.at(-1) ?? firstMs) - firstMs);
      return { sent: await sending, text: content, ttftMs: firstMs - startedAtMs, tokensPerSecond, report };
    }
    await sending;
    throw new Error("The connection ended before the answer.");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#connection.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function connect(folder: string, modelPath: string) {
  await using opened = new AsyncDisposableStack();
  const served = await serveApp(folder, { needsPages: false });
  const forget = killAtExit(served.pid);
  opened.defer(async () => {
    await served.stop();
    forget();
  });
  const instance = readInstance(folder);
  const remote = instance && (await connectToInstance(instance, 10_000));
  if (!remote) throw new Error("The app was started but cannot be reached.");
  opened.defer(() => {
    remote.close();
  });
  const { client } = remote;
  const { id: modelId } = await client.models.add({ path: modelPath });
  await client.models.load({ modelId });
  const { engine } = await client.status.get();
  if (engine.state !== "ready") throw new Error(`The model is not loaded: the engine is ${engine.state}.`);
  const resources = opened.move();
  return { client, modelId, model: engine.model, close: () => resources.disposeAsync() };
}

function speed(tokens: number, durationMs: number): number | null {
  return durationMs > 0 && tokens > 1 ? ((tokens - 1) * 1_000) / durationMs : null;
}
