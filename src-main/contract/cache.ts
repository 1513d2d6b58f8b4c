/** What the KV cache holds, where, and why: for the memory screen, the conversation list and the command line. */
import { z } from "zod";
import { residentModelSchema } from "./model-switch.ts";

const bytes = z.number().min(0);

/** Cells of the context. active + parked + free = total; shared ones are counted among active or parked too. */
const cellCountsSchema = z.object({
  total: z.int(),
  active: z.int(),
  parked: z.int(),
  shared: z.int(),
  free: z.int(),
});

/** Neighbouring cells that the same sequences hold, for the map. */
const cellRunSchema = z.object({
  cells: z.int(),
  /** Empty: free cells. */
  holders: z.array(z.object({ conversationId: z.string(), role: z.enum(["active", "branch", "side"]) })),
});

const storeStateSchema = z.object({
  isEnabled: z.boolean(),
  /** Why it cannot be used now, as a sentence; `null` while it works. */
  failure: z.string().nullable(),
  /** Why what the file held when it was opened could not be used, and a new one was begun; `null` where it could. */
  startedAnew: z.enum(["damaged", "older"]).nullable(),
  budgetBytes: bytes,
  usedBytes: bytes,
  fileBytes: bytes,
  blocks: z.int(),
  tokens: z.int(),
  /** Blocks that two or more conversations stand on, and what storing them once saves. */
  sharedBlocks: z.int(),
  savedBySharingBytes: bytes,
  /** Since the file was begun. */
  writtenBytes: bytes,
  /** Waiting to be written; served from memory meanwhile. */
  pendingBytes: bytes,
});

const evictionSchema = z.object({
  atMs: z.number(),
  /** Whose save needed the room; `null`: the budget was lowered. */
  savedConversationId: z.string().nullable(),
  conversationId: z.string().nullable(),
  tokens: z.int(),
  bytes,
});

/** Where a conversation's tokens are, in the cells of any model in memory or in the store; one in neither place is cold and not listed. */
const residencySchema = z.object({
  conversationId: z.string(),
  state: z.enum(["in-place", "stored"]),
  tokens: z.int(),
  storedBytes: bytes,
});
export type Residency = z.infer<typeof residencySchema>;

export const cacheStateSchema = z.object({
  /** All models in memory, the active one first. `cells`, `bytesPerToken` and `runs` are the active one's. */
  models: z.array(residentModelSchema),
  /** `null` while no model is loaded. */
  cells: cellCountsSchema.nullable(),
  bytesPerToken: bytes,
  runs: z.array(cellRunSchema),
  store: storeStateSchema,
  residency: z.array(residencySchema),
  /** Newest first. */
  evictions: z.array(evictionSchema),
  /** Tokens computed again since the engine started, by reason. */
  shortfalls: z.record(z.string(), z.int()),
  /** Conversations whose blocks go last. */
  pinned: z.array(z.string()),
});
export type CacheState = z.infer<typeof cacheStateSchema>;

/** Of the store's file in the cache folder. The engine's own; main looks at most whether there is one. */
export const cacheFileName = "kv.db";

/** A store that is on and holds nothing. */
export const emptyStore: CacheState["store"] = {
  isEnabled: true,
  failure: null,
  startedAnew: null,
  budgetBytes: 0,
  usedBytes: 0,
  fileBytes: 0,
  blocks: 0,
  tokens: 0,
  sharedBlocks: 0,
  savedBySharingBytes: 0,
  writtenBytes: 0,
  pendingBytes: 0,
};

/** Every block read and compared with its checksum. `failure`: why they could not be, or are gone, as a sentence. */
export const verifyResultSchema = z.object({ blocks: z.int(), damaged: z.int(), failure: z.string().nullable() });
export type VerifyResult = z.infer<typeof verifyResultSchema>;

/** What a token's logit came to in either computation. */
const candidateSchema = z.object({ text: z.string(), fresh: z.number(), restored: z.number() });

/** A conversation restored from the store, compared with the same tokens computed afresh. */
export const selfTestResultSchema = z.object({
  /** Tokens that were restored; 0: nothing of it is stored. */
  tokens: z.int(),
  /**
   * Of these, how many were computed afresh in the very steps in which the stored ones were: then nothing is rounded
   * differently. Of the rest the steps are not known.
   */
  replayedTokens: z.int(),
  /**
   * `same`: no logit differs by more than a thousandth of the largest, and both choose the same next token. `near-tie`:
   * they choose different ones, within that. `rounded`: logits differ by more, which other steps may account for, and not
   * all steps are known. `different`: what is stored is not what computing gives.
   */
  verdict: z.enum(["nothing-stored", "same", "near-tie", "rounded", "different"]),
  /** Both choose the same next token. */
  isSameChoice: z.boolean(),
  /** The largest difference of two logits, and the largest logit's size to read it by; `null` where logits cannot be had. */
  maxDifference: z.number().nullable(),
  scale: z.number().nullable(),
  /** The two likeliest next tokens, where `distance`, between their fresh logits, is so small that rounding may decide. */
  tie: z.object({ first: candidateSchema, second: candidateSchema, distance: z.number() }).nullable(),
  restoreMs: z.number(),
  computeMs: z.number(),
});
export type SelfTestResult = z.infer<typeof selfTestResultSchema>;

export const storeSettingsSchema = z.object({
  isEnabled: z.boolean(),
  /** `null`: 8 GB or a tenth of the free disk, the smaller. */
  budgetBytes: z.number().min(0).nullable(),
});
export type StoreSettings = z.infer<typeof storeSettingsSchema>;
