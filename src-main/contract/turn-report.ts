import { z } from "zod";

const count = z.int().min(0);
const milliseconds = z.number().min(0);
const bytes = z.number().min(0);

const stopReasonSchema = z.enum(["end", "length", "stop-string", "stopped", "context-full", "failed"]);
export type StopReason = z.infer<typeof stopReasonSchema>;

export const divergenceKindSchema = z.enum([
  "first-turn",
  "continues",
  "regenerated",
  "branch",
  "history-edited",
  "system-prompt-changed",
  "tools-changed",
  "template-changed",
  "thinking-stripped",
  "retokenized",
  "overflow",
  "model-switched",
  "settings-changed",
]);
export type DivergenceKind = z.infer<typeof divergenceKindSchema>;

/** What changed against the nearest earlier prompt of the conversation, and where. */
const divergenceSchema = z.object({
  kind: divergenceKindSchema,
  /** The first token that differs. */
  tokenIndex: count,
  /** The text of a few tokens before it, from it on, and of what stood there before. */
  before: z.string(),
  after: z.string(),
  replaced: z.string(),
});
export type TurnDivergence = z.infer<typeof divergenceSchema>;

export const shortfallKindSchema = z.enum([
  "none",
  "evicted",
  "never-stored",
  "store-damaged",
  "store-stale",
  "boundary",
  "not-resumable",
  "slower-than-computing",
  "unknown",
]);
export type ShortfallKind = z.infer<typeof shortfallKindSchema>;

export const neverStoredReasonSchema = z.enum(["too-short", "over-budget", "disk", "cancelled"]);

/** Tokens that had been computed before and were computed again, and why; never a guess. */
const shortfallSchema = z.object({
  kind: shortfallKindSchema,
  /** Of `never-stored`. */
  reason: neverStoredReasonSchema.nullable(),
  tokens: count,
  /** What computing them took, from this turn's measured prefill. */
  lostMs: milliseconds,
});
export type TurnShortfall = z.infer<typeof shortfallSchema>;

/** Where the memory was when the answer ended. All in bytes. */
const memoryReportSchema = z.object({
  /** The tensors of the model file: what is mapped into memory. */
  weights: bytes,
  /** Cells reserved for keys and values, used or not, and the state of layers that carry one. */
  kvAllocated: bytes,
  /** Cells in use when the answer ended × bytes a cell, and the state of layers that carry one. */
  kvLive: bytes,
  /** Cells this turn added × bytes a cell. */
  kvThisTurn: bytes,
  /**
   * Keys and values of one token, from the model's shape: 2 · layers · kv heads · head size · bytes an element. 0 where
   * no layer keeps any, only a state.
   */
  kvBytesPerToken: bytes,
  /** Of the cells in use, those that two or more sequences hold, × bytes a cell. */
  kvShared: bytes.default(0),
  /** Cells of parked branches × bytes a cell. */
  kvParked: bytes.default(0),
  /**
   * Of the block store: what this conversation has in it, all it has, and what was written for this conversation since
   * the report of the answer before. What this answer computed is written after it, while nothing is computed, so it
   * shows in the next one.
   */
  store: z.object({ conversation: bytes, total: bytes, writtenThisTurn: bytes }).nullable().default(null),
  /** Scratch buffers of the compute graph. */
  computeBuffers: bytes,
  /** What other models in memory take: weights, cache and compute buffers. All the above is the answering one's. */
  otherModels: z.array(z.object({ name: z.string(), level: z.string().nullable(), bytes })).default([]),
  /** Resident set of the engine process, as the operating system counts it. */
  processResident: bytes,
});
export type MemoryReport = z.infer<typeof memoryReportSchema>;

/**
 * What one answer cost. Every figure is measured in the engine while the answer was made.
 * promptTokens = fromResident + fromStore + fromShared + prefilled. A report of an earlier version, which knew fewer
 * figures, reads as if nothing of the newer kinds had happened, which then was so.
 */
export const turnReportSchema = z.object({
  /**
   * The very weights that computed it. `weightsHash`: of their content, whatever the file is called or where it lies;
   * `null` where it changed while it was read. `null` where the answer never began, and of earlier versions.
   */
  model: z
    .object({ name: z.string(), level: z.string().nullable(), weightsHash: z.string().nullable() })
    .nullable()
    .default(null),
  promptTokens: count,
  /** Prompt tokens whose keys and values were already in place. */
  fromResident: count,
  /** Prompt tokens restored from the block store. */
  fromStore: count.default(0),
  /**
   * Prompt tokens reused from either tier that another conversation or branch computed first: another conversation, as
   * cells and blocks know it; or another branch of this one, where every turn that is remembered to have computed them
   * did so for a message that this prompt has otherwise (the equal beginning of a message that was edited). What comes
   * before branches part belongs to both, so regenerating shares nothing. A turn that is remembered no longer counts as
   * one of this branch.
   */
  fromShared: count.default(0),
  /** Of fromResident, those that were computed while the message was being typed. */
  preparedTokens: count.default(0),
  /** Prompt tokens computed in this turn. */
  prefilled: count,
  outputTokens: count,
  /** Waiting for the engine: another answer, a model load. */
  queueMs: milliseconds,
  /** Reading and loading what came from the block store. */
  restoreMs: milliseconds.default(0),
  prefillMs: milliseconds,
  /** What the reused tokens would have cost to compute, from this machine's measured prefill; `null` while unmeasured. */
  savedMs: milliseconds.nullable().default(null),
  /** From the request's arrival in the engine to the first sampled token; `null` when none was. */
  ttftMs: milliseconds.nullable(),
  /** From the first sampled token to the last. */
  decodeMs: milliseconds,
  /** `null` where nothing was computed. */
  prefillTokensPerSecond: z.number().nullable(),
  /** `null` for fewer than two tokens. */
  decodeTokensPerSecond: z.number().nullable(),
  threads: z.object({ prefill: count, decode: count }),
  divergence: divergenceSchema.nullable().default(null),
  shortfall: shortfallSchema.nullable().default(null),
  seed: count,
  stopReason: stopReasonSchema,
  /** Cells the prompt and its answer had filled at the end, how many there are, and how many there could be if the conversation needed them. */
  context: z.object({ usedTokens: count, sizeTokens: count, limitTokens: count.optional() }),
  memory: memoryReportSchema,
});
export type TurnReport = z.infer<typeof turnReportSchema>;
