import { getLlama, LlamaLogLevel, type Llama } from "node-llama-cpp";
import { RepriseError } from "../../contract/errors.ts";
import { nativeBindings } from "./native.ts";
import { withoutSelfTest } from "./without-self-test.ts";

/** What the engine stands on; a contract test compares it with what is installed. */
export const engineLibrary = { name: "node-llama-cpp 3.22.1", release: "llama.cpp v0.5.0" } as const;

/** Loaded llama.cpp, and what it said. */
export interface LoadedLlama {
  readonly llama: Llama;
  readonly log: LlamaLog;
}

/**
 * llama.cpp's log. It owns the last lines, in which llama.cpp says why a load failed and how it laid out its memory;
 * warnings and errors also go to standard error, whose end the supervisor keeps for the cause of a crash.
 */
export class LlamaLog {
  readonly #lines: string[] = [];

  add(level: LlamaLogLevel, message: string): void {
    this.#lines.push(...message.split("\n"));
    this.#lines.splice(0, this.#lines.length - 2_000);
    if (level === LlamaLogLevel.error || level === LlamaLogLevel.fatal || level === LlamaLogLevel.warn) {
      process.stderr.write(`${message.trimEnd()}\n`);
    }
  }

  clear(): void {
    this.#lines.length = 0;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Lines come from other threads through the event loop: after this, all that were written before it are here. */
  async settled(): Promise<void> {
    await afterEventLoopTurn();
    await afterEventLoopTurn();
  }
}

/**
 * Loads the library with the best backend this machine has; REPRISE_GPU=off keeps it from a graphics card whose driver
 * does not work. Never builds or fetches anything.
 */
export async function loadLlama(): Promise<LoadedLlama> {
  const log = new LlamaLog();
  const load = () =>
    getLlama({
      build: "never",
      gpu: process.env["REPRISE_GPU"] === "off" ? false : "auto",
      logLevel: LlamaLogLevel.info,
      progressLogs: false,
      logger: (level, message) => {
        log.add(level, message);
      },
    });
  try {
    const isElectron = "electron" in process.versions;
    return { llama: await (isElectron ? withoutSelfTest(load) : load()), log };
  } catch (caught) {
    const reason = caught instanceof Error ? caught.message : String(caught);
    const sentence = "The engine does not run on this machine: its library could not be loaded.";
    throw new RepriseError("ENGINE_FAILED", sentence, { reason }, { cause: caught });
  }
}

/**
 * Frees the backend, after all contexts and models. Not by the library's own dispose: that waits until every model is
 * disposed of, and a model whose load failed never is.
 */
export async function closeLlama({ llama }: LoadedLlama): Promise<void> {
  await nativeBindings(llama).dispose();
}

function afterEventLoopTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
