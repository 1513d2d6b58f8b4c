import { z } from "zod";

const count = z.int().min(0);
const milliseconds = z.number().min(0);
const bytes = z.number().min(0);

const stopReasonSchema = z.enum(["end", "length", "stop-string", "stopped", "context-full", "failed"]);
export type StopReason = z.infer<typeof stopReasonSchema>;

/** Where the memory was when the answer ended. All in bytes. */
const memoryReportSchema = z.object({
  /** The tensors of the model file: what is mapped into memory. */
  weights: bytes,
  /** Cells reserved for keys and values, used or not. */
  kvAllocated: bytes,
  /** Cells in use when the answer ended × bytes a cell. */
  kvLive: bytes,
  /** Cells this turn added × bytes a cell. */
  kvThisTurn: bytes,
  /** Keys and values of one token, from the model's shape: 2 · layers · kv heads · head size · bytes an element. */
  kvBytesPerToken: bytes,
  /** Scratch buffers of the compute graph. */
  computeBuffers: bytes,
  /** Resident set of the engine process, as the operating system counts it. */
  processResident: bytes,
});
export type MemoryReport = z.infer<typeof memoryReportSchema>;

/**
 * What one answer cost. Every figure is measured in the engine while the answer was made.
 * promptTokens = fromResident + prefilled.
 */
export const turnReportSchema = z.object({
  promptTokens: count,
  /** Prompt tokens whose keys and values were already in place. */
  fromResident: count,
  /** Prompt tokens computed in this turn. */
  prefilled: count,
  outputTokens: count,
  /** Waiting for the engine: another answer, a model load. */
  queueMs: milliseconds,
  prefillMs: milliseconds,
  /** From the request's arrival in the engine to the first sampled token; `null` when none was. */
  ttftMs: milliseconds.nullable(),
  /** From the first sampled token to the last. */
  decodeMs: milliseconds,
  /** `null` where nothing was computed. */
  prefillTokensPerSecond: z.number().nullable(),
  /** `null` for fewer than two tokens. */
  decodeTokensPerSecond: z.number().nullable(),
  threads: z.object({ prefill: count, decode: count }),
  seed: count,
  stopReason: stopReasonSchema,
  /** Cells used after this turn, and how many there are. */
  context: z.object({ usedTokens: count, sizeTokens: count }),
  memory: memoryReportSchema,
});
export type TurnReport = z.infer<typeof turnReportSchema>;
