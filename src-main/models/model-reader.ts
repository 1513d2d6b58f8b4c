/**
 * Reads model files in a worker thread: what they are, and their hashes. It owns the worker, which starts with the first
 * file and is started anew where a file brought it down.
 */
import { basename, dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { RepriseError } from "../contract/errors.ts";
import { modelMissing, modelUnusable } from "../contract/model-errors.ts";
import type { ModelFacts } from "../contract/model-library.ts";
import type { ReaderAnswer, ReaderRequest } from "./reader-messages.ts";

/** What a header may make of the worker's memory; beyond it the worker ends, and main lives on. */
const worstHeaderMb = 1_024;

interface Pending {
  readonly path: string;
  readonly resolve: (answer: ReaderAnswer) => void;
  readonly reject: (reason: RepriseError) => void;
}

type Wish = Pick<ReaderRequest & { kind: "read" }, "kind" | "path"> | Omit<ReaderRequest & { kind: "hash" }, "id">;

export class ModelReader {
  readonly #entry: string;
  readonly #pending = new Map<number, Pending>();
  #worker: Worker | null = null;
  #lastId = 0;
  #isClosed = false;

  constructor(entry = workerEntry(import.meta.filename)) {
    this.#entry = entry;
  }

  /** Throws MODEL_MISSING, MODEL_INVALID where the file cannot be read, ENGINE_STOPPED after `close`. */
  async read(path: string): Promise<ModelFacts> {
    const answer = await this.#ask({ kind: "read", path });
    if (answer.kind !== "read") throw unexpected(path);
    return answer.facts;
  }

  /** The next step of a file's SHA-256, of the only file that is hashed; `null` until it is known. Throws as `read`. */
  async hashStep(path: string, isFirst: boolean): Promise<string | null> {
    const answer = await this.#ask({ kind: "hash", path, isFirst });
    if (answer.kind !== "hash") throw unexpected(path);
    return answer.sha256;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
    this.#failAll(() => stopped());
  }

  #ask(wish: Wish): Promise<ReaderAnswer> {
    if (this.#isClosed) return Promise.reject(stopped());
    const worker = (this.#worker ??= this.#start());
    const id = (this.#lastId += 1);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { path: wish.path, resolve, reject });
      worker.ref();
      worker.postMessage({ ...wish, id } satisfies ReaderRequest);
    });
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { resourceLimits: { maxOldGenerationSizeMb: worstHeaderMb } });
    worker.on("message", (answer: ReaderAnswer) => {
      this.#settle(answer);
    });
    // Whatever was being read when it ended is told below, by `exit`, which always comes.
    let cause = "its reader ended";
    worker.on("error", (error) => {
      cause = (error as Error).message;
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#worker = null;
      this.#failAll((path) => (this.#isClosed ? stopped() : modelUnusable(path, cause)));
    });
    return worker;
  }

  #settle(answer: ReaderAnswer): void {
    const pending = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    // An idle worker must not keep a command from ending.
    if (this.#pending.size === 0) this.#worker?.unref();
    if (answer.kind !== "failed") pending?.resolve(answer);
    else pending?.reject(readingFailed(pending.path, answer.code, answer.detail));
  }

  #failAll(reason: (path: string) => RepriseError): void {
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { path, reject } of pending) reject(reason(path));
  }
}

/** Beside this module, or in the built output, where the bundler may put what entries share into a folder below theirs. */
function workerEntry(file: string): string {
  const folder = dirname(file);
  if (file.endsWith(".ts")) return join(folder, "reader-worker.ts");
  return join(basename(folder) === "chunks" ? dirname(folder) : folder, "model-reader.js");
}

function readingFailed(path: string, code: string | null, detail: string): RepriseError {
  if (code === "ENOENT" || code === "ENOTDIR") return modelMissing(path);
  return modelUnusable(path, code === "EACCES" || code === "EPERM" ? "Reprise may not read it" : detail);
}

function stopped(): RepriseError {
  return new RepriseError("ENGINE_STOPPED", "Reprise was closed before the file was read.", {});
}

function unexpected(path: string): RepriseError {
  return modelUnusable(path, "it was read as something else");
}
