/** Stands in for the quantizer's processes: what a test says they answer, in this process. */
import { appendFileSync, writeFileSync } from "node:fs";
import type { Forecast, QuantizerEvent, QuantizerRequest } from "../../src-main/contract/quantizer-messages.ts";
import type { EngineProcess, LaunchEngine } from "../../src-main/engine-host/engine-process.ts";
import type { ProcessExit } from "../../src-main/engine-host/exit-cause.ts";

type MakeRequest = Extract<QuantizerRequest, { task: "quantize" }>;

/** A process that is making a file. */
interface Making {
  readonly request: MakeRequest;
  /** Writes more of the file and tells of it. */
  write(bytes: number): void;
  /** Writes the rest and tells that it is whole. */
  finish(): void;
  say(event: QuantizerEvent): void;
  die(exit: ProcessExit): void;
}

export interface FakeQuantizer {
  readonly launch: LaunchEngine;
  /** What is foreseen of every file. */
  forecast: Forecast;
  /** The next file that is begun. */
  next(): Promise<Making>;
  readonly running: () => number;
}

export const predictedBytes = 1_000;

export function fakeQuantizer(): FakeQuantizer {
  const begun: Making[] = [];
  const waiting: ((making: Making) => void)[] = [];
  let running = 0;
  const fake: FakeQuantizer = {
    forecast: { predictedBytes, needsImatrix: false, isLossySource: false },
    next: () => {
      const making = begun.shift();
      return making === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(making);
    },
    running: () => running,
    launch: () => {
      running += 1;
      return fakeProcess(
        (request, say, die) => {
          if (request.task === "plan") {
            say({ type: "forecast", forecast: fake.forecast });
            return;
          }
          const making = makingOf(request, say, die);
          const reader = waiting.shift();
          if (reader === undefined) begun.push(making);
          else reader(making);
        },
        () => {
          running -= 1;
        },
      );
    },
  };
  return fake;
}

type Say = (event: QuantizerEvent) => void;
type Die = (exit: ProcessExit) => void;

function fakeProcess(
  onRequest: (request: QuantizerRequest, say: Say, die: Die) => void,
  onEnd: () => void,
): EngineProcess {
  const exit = Promise.withResolvers<ProcessExit>();
  const listeners: ((message: unknown) => void)[] = [];
  let isAlive = true;
  const die = (how: ProcessExit) => {
    if (isAlive) onEnd();
    isAlive = false;
    exit.resolve(how);
  };
  const say = (event: QuantizerEvent) => {
    setImmediate(() => {
      for (const listener of listeners) if (isAlive) listener(event);
    });
  };
  return {
    pid: 4_711,
    postMessage: (message) => {
      onRequest(message as QuantizerRequest, say, die);
    },
    onMessage: (listener) => listeners.push(listener),
    onExit: (listener) => void exit.promise.then(listener),
    kill: () => {
      die({ code: null, signal: "SIGKILL", output: "" });
    },
  };
}

function makingOf(request: MakeRequest, say: Say, die: Die): Making {
  let writtenBytes = 0;
  writeFileSync(request.outputPath, "");
  const write = (bytes: number) => {
    const start = writtenBytes === 0 ? "GGUF" : "";
    appendFileSync(request.outputPath, start.padEnd(bytes, "."));
    writtenBytes += bytes;
    say({ type: "progress", writtenBytes });
  };
  return {
    request,
    write,
    say,
    die,
    finish: () => {
      write(predictedBytes - writtenBytes);
      say({ type: "made", bytes: predictedBytes });
    },
  };
}
