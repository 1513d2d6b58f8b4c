/**
 * Main's side of the quantizer child: one process for each question and each file, ended as soon as it has answered.
 * It owns the process and no file: what was written when it fails is its caller's to remove.
 */
import { errorFromView, RepriseError, toRepriseError } from "../contract/errors.ts";
import {
  quantizerEventSchema,
  type Forecast,
  type MakeRequest,
  type PlanRequest,
  type QuantizerEvent,
  type QuantizerRequest,
} from "../contract/quantizer-messages.ts";
import type { LaunchEngine } from "./engine-process.ts";
import { describeExit, type ProcessExit } from "./exit-cause.ts";

type LastEvent = Exclude<QuantizerEvent, { type: "progress" }>;

export class Quantizer {
  readonly #launch: LaunchEngine;

  /** `launch` starts src-main/quantize/entry.ts. */
  constructor(launch: LaunchEngine) {
    this.#launch = launch;
  }

  /** Throws MODEL_INVALID, INVALID_INPUT, QUANTIZE_FAILED, or the signal's reason. */
  async forecast(request: PlanRequest, signal: AbortSignal): Promise<Forecast> {
    const last = await this.#run({ task: "plan", ...request }, signal, () => undefined);
    if (last.type === "forecast") return last.forecast;
    throw failure(last);
  }

  /** The size of the file that was made. Throws what `forecast` throws, and STORAGE_FAILED. No process is left then. */
  async make(request: MakeRequest, onProgress: (writtenBytes: number) => void, signal: AbortSignal): Promise<number> {
    const last = await this.#run({ task: "quantize", ...request }, signal, onProgress);
    if (last.type === "made") return last.bytes;
    throw failure(last);
  }

  async #run(
    request: QuantizerRequest,
    signal: AbortSignal,
    onProgress: (writtenBytes: number) => void,
  ): Promise<LastEvent> {
    signal.throwIfAborted();
    const process = this.#launch();
    const answer = Promise.withResolvers<LastEvent>();
    const ended = new Promise<void>((resolve) => {
      process.onExit((exit) => {
        answer.reject(died(exit));
        resolve();
      });
    });
    process.onMessage((message) => {
      const event = quantizerEventSchema.parse(message);
      if (event.type === "progress") onProgress(event.writtenBytes);
      else answer.resolve(event);
    });
    const giveUp = () => {
      answer.reject(signal.reason as Error);
    };
    signal.addEventListener("abort", giveUp);
    try {
      process.postMessage(request);
      return await answer.promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
      process.kill();
      await ended;
    }
  }
}

function failure(last: LastEvent): RepriseError {
  return last.type === "failed"
    ? errorFromView(last.error)
    : toRepriseError(new Error(`unexpected answer ${last.type}`));
}

function died(exit: ProcessExit): RepriseError<"QUANTIZE_FAILED"> {
  const reason = describeExit(exit);
  const sentence = `The quantizer stopped unexpectedly: ${reason}. Nothing of what it was making was kept, and the model it was made from was left as it is.`;
  return new RepriseError("QUANTIZE_FAILED", sentence, { reason });
}
