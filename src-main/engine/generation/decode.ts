import type { StopReason } from "../../contract/turn-report.ts";
import type { ActiveCells } from "../kv/active-cells.ts";
import type { DecodeWatch } from "../tuning/decode-watch.ts";
import type { AnswerText } from "./answer-text.ts";
import type { DeltaCoalescer } from "./delta-coalescer.ts";

/** What decoding needs of the loaded model. */
export interface Decoder {
  readonly cells: Pick<ActiveCells, "length" | "append">;
  /** What is asked of the model is done in the order in which it was asked for, and nothing of it at the same time. */
  readonly isOrdered: boolean;
  readonly contextTokens: number;
  /** The context is full. Returns whether it has more room now, with all that is in place. */
  grow(): Promise<boolean>;
  readonly watch: DecodeWatch;
  setThreads(threads: number): void;
  isEndOfGeneration(token: number): boolean;
}

export interface DecodeOptions {
  /** Where the logits of the prompt's last token are. */
  readonly logitIndex: number;
  /** Chooses the next token from logits. */
  readonly sample: (logitIndex: number) => Promise<number>;
  readonly answer: AnswerText;
  readonly deltas: DeltaCoalescer;
  /** `null`: no limit but the context. */
  readonly maxTokens: number | null;
  readonly signal: AbortSignal;
}

export interface Decoded {
  readonly stopReason: StopReason;
  /** Tokens of the answer, without the one that ended it. */
  readonly outputTokens: number;
  /** Tokens chosen by the sampler, the one that ended it included. */
  readonly sampledTokens: number;
  readonly firstTokenAtMs: number;
  readonly lastTokenAtMs: number;
}

/** Where the logits of a token computed by itself are. */
const onlyIndex = 0;

/** Token after token, until something ends the answer. Between two tokens there is nothing but what one token needs. */
export async function decode(decoder: Decoder, options: DecodeOptions): Promise<Decoded> {
  const { cells, watch } = decoder;
  const { answer, deltas, sample, signal } = options;
  const maxTokens = options.maxTokens ?? Infinity;
  let outputTokens = 0;
  let token = await sample(options.logitIndex);
  const firstTokenAtMs = performance.now();
  let lastTokenAtMs = firstTokenAtMs;
  const ended = (stopReason: StopReason, sampledTokens: number): Decoded => {
    return { stopReason, outputTokens, sampledTokens, firstTokenAtMs, lastTokenAtMs };
  };
  for (;;) {
    if (decoder.isEndOfGeneration(token)) return ended("end", outputTokens + 1);
    outputTokens += 1;
    const delta = answer.push(token);
    if (delta !== null) deltas.add(delta, lastTokenAtMs);
    if (answer.hitStopString) return ended("stop-string", outputTokens);
    if (outputTokens >= maxTokens) return ended("length", outputTokens);
    if (signal.aborted) return ended("stopped", outputTokens);
    if (cells.length >= decoder.contextTokens) {
      if (!(await decoder.grow())) return ended("context-full", outputTokens);
      lastTokenAtMs = performance.now();
    }
    token = await chooseNext(decoder, sample, token);
    const nowMs = performance.now();
    if (watch.note(nowMs - lastTokenAtMs, cells.length, nowMs)) decoder.setThreads(watch.threads);
    lastTokenAtMs = nowMs;
  }
}

/**
 * Computes a token and chooses the one behind it. Both are asked for at once where that is safe: so the worker goes from
 * one to the other while this thread has yet to wake up.
 */
async function chooseNext(
  { cells, isOrdered }: Decoder,
  sample: DecodeOptions["sample"],
  token: number,
): Promise<number> {
  const computed = cells.append(token);
  if (!isOrdered) return await sample(await computed);
  const chosen = sample(onlyIndex);
  try {
    await computed;
  } catch (caught) {
    // The sampler is in use until then. What it chose, from whatever logits there were, is of no interest.
    await chosen.catch(() => undefined);
    throw caught;
  }
  return await chosen;
}
