/** The peer: llama-server on a free loopback port, asked as its own page asks it. Owns the process. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type AddressInfo } from "node:net";
import { setTimeout as elapsed } from "node:timers/promises";
import { killAtExit } from "../kill-at-exit.ts";
import { streamedCompletion, type ChatMessage } from "./streamed-completion.ts";
import type { Chat, ChatOptions, Side, Turn } from "./side.ts";

const startLimitMs = 5 * 60_000;

export interface LlamaServerOptions {
  readonly binary: string;
  readonly modelPath: string;
  readonly contextTokens: number;
  readonly threads: { readonly prefill: number; readonly decode: number };
}

interface Running {
  readonly url: string;
  stop(): Promise<void>;
}

export class LlamaServerSide implements Side, AsyncDisposable {
  readonly name = "llama-server";
  readonly worksAhead = false;
  readonly #options: LlamaServerOptions;
  #running: Running;

  private constructor(options: LlamaServerOptions, running: Running) {
    this.#options = options;
    this.#running = running;
  }

  static async start(options: LlamaServerOptions): Promise<LlamaServerSide> {
    return new LlamaServerSide(options, await startServer(options));
  }

  newChat({ maxTokens }: ChatOptions): Promise<Chat> {
    return Promise.resolve(
      new LlamaServerChat((messages) => streamedCompletion(this.#running.url, messages, maxTokens)),
    );
  }

  async restart(): Promise<void> {
    await this.#running.stop();
    this.#running = await startServer(this.#options);
  }

  settled(): Promise<null> {
    return Promise.resolve(null);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#running.stop();
  }
}

/** The messages are the client's to keep; the server is given all of them each time. */
class LlamaServerChat implements Chat {
  readonly #complete: (messages: readonly ChatMessage[]) => Promise<Turn>;
  #messages: readonly ChatMessage[] = [];

  constructor(complete: (messages: readonly ChatMessage[]) => Promise<Turn>) {
    this.#complete = complete;
  }

  async send(text: string): Promise<Turn> {
    return await this.#answer([...this.#messages, { role: "user", content: text }]);
  }

  async edit(text: string): Promise<Turn> {
    return await this.#answer([...this.#messages.slice(0, -2), { role: "user", content: text }]);
  }

  async regenerate(): Promise<Turn> {
    return await this.#answer(this.#messages.slice(0, -1));
  }

  /** It has no procedure for that. */
  open(): Promise<void> {
    return Promise.resolve();
  }

  /** Its client sends when Enter is pressed. */
  draft(): void {
    return;
  }

  async #answer(prompt: readonly ChatMessage[]): Promise<Turn> {
    const turn = await this.#complete(prompt);
    this.#messages = [...prompt, { role: "assistant", content: turn.text }];
    return turn;
  }
}

async function startServer({ binary, modelPath, contextTokens, threads }: LlamaServerOptions): Promise<Running> {
  const port = await freePort();
  const words = ["--model", modelPath, "--host", "127.0.0.1", "--port", String(port), "--offline", "--no-webui"];
  const settings = ["--parallel", "1", "--ctx-size", String(contextTokens), "--jinja"];
  const counts = ["--threads", String(threads.decode), "--threads-batch", String(threads.prefill)];
  const server = spawn(binary, [...words, ...settings, ...counts], { stdio: ["ignore", "ignore", "pipe"] });
  await once(server, "spawn");
  const forget = killAtExit(Number(server.pid));
  const ended = once(server, "close").then(forget);
  const errors = lastText(server);
  const stop = async () => {
    server.kill("SIGKILL");
    await ended;
  };
  const url = `http://127.0.0.1:${port}`;
  const limit = AbortSignal.timeout(startLimitMs);
  while (!(await isHealthy(url))) {
    if (server.exitCode === null && server.signalCode === null && !limit.aborted) {
      await elapsed(50);
      continue;
    }
    await stop();
    throw new Error(`llama-server did not start. It said: ${errors()}`);
  }
  return { url, stop };
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(2_000) });
    await response.body?.cancel();
    return response.ok;
  } catch {
    // It does not listen yet.
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Reads standard error, so that its pipe never fills, and keeps the end of it. */
function lastText({ stderr }: ChildProcess): () => string {
  let text = "";
  stderr?.setEncoding("utf8").on("data", (piece: string) => {
    text = (text + piece).slice(-2_000);
  });
  return () => text;
}
