import { join } from "node:path";
import { onTestFinished } from "vitest";
import { blockKey, snapshotKey } from "../../src-main/engine/kv/block-key.ts";
import { BlockStore, type BlockStoreOptions } from "../../src-main/engine/kv/block-store.ts";
import { stepsHash, stepWord } from "../../src-main/engine/kv/computed-steps.ts";
import type { GetOutcome, Removal } from "../../src-main/engine/kv/store-outcome.ts";
import type { NewBlock } from "../../src-main/engine/kv/stored-block.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export const sampleFingerprint = "ab".repeat(32);

interface ChainOptions<Lengths extends readonly number[]> {
  /** Tokens of each block. */
  readonly lengths: Lengths;
  /** Another one gives other tokens, from the first block in `from` on. */
  readonly seed?: number;
  readonly payloadBytes?: number;
  readonly conversationId?: string;
  readonly turnId?: string;
  /** Goes on behind these blocks. */
  readonly behind?: readonly NewBlock[];
}

/** Blocks that stand on each other. The same options give the same blocks. */
export function sampleChain<const Lengths extends readonly number[]>(options: ChainOptions<Lengths>) {
  const { lengths, seed = 0, payloadBytes = 1_000, conversationId = "chat", turnId = "turn", behind = [] } = options;
  const chain: NewBlock[] = [];
  for (const length of lengths) {
    const last = chain.at(-1) ?? behind.at(-1);
    const from = last === undefined ? 0 : last.from + last.tokens.length;
    const tokens = Uint32Array.from({ length }, (_, index) => seed * 100_000 + from + index);
    const parent = last?.key ?? sampleFingerprint;
    const key = blockKey(parent, tokens);
    const payload = samplePayload(key, payloadBytes);
    const kind = "rows" as const;
    const described = {
      key,
      parent,
      fingerprint: sampleFingerprint,
      kind,
      from,
      tokens,
      ...sampleSteps(tokens, chain),
    };
    chain.push({ ...described, payload, conversationId, turnId });
  }
  return chain as unknown as { readonly [Index in keyof Lengths]: NewBlock };
}

/** Each token was computed by itself. */
function sampleSteps(tokens: Uint32Array, before: readonly NewBlock[]): Pick<NewBlock, "steps" | "stepsBefore"> {
  const steps = tokens.map(() => stepWord({ tokens: 1, index: 0, threads: 2 }));
  return { steps, stepsBefore: stepsHash(before.flatMap((block) => [...block.steps])) };
}

/** Of tokens of which nobody knows how they were computed. */
export function unknownSteps(length: number): Pick<NewBlock, "steps" | "stepsBefore"> {
  return { steps: new Uint32Array(length), stepsBefore: 0 };
}

/** The one block of a chain of one. */
export function sampleBlock(options: Omit<ChainOptions<[]>, "lengths"> & { readonly length?: number } = {}): NewBlock {
  const { length = 8, ...rest } = options;
  return sampleChain({ ...rest, lengths: [length] })[0];
}

export function sampleSnapshot(length: number, seed = 0): NewBlock {
  const block = sampleBlock({ length, seed });
  return { ...block, kind: "snapshot", key: snapshotKey(sampleFingerprint, block.tokens) };
}

/** No stretch of it is anywhere else. */
function samplePayload(key: string, length: number): Uint8Array {
  let state = Number.parseInt(key.slice(0, 8), 16) | 1;
  return Uint8Array.from({ length }, () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  });
}

interface TestStore {
  readonly store: BlockStore;
  readonly path: string;
  readonly removals: Removal[];
}

/** A store in a folder of its own, or the one given; closed when the test ends. */
export function openTestBlockStore(
  options: Partial<BlockStoreOptions> = {},
  path = join(temporaryFolder(), "kv.db"),
): TestStore {
  const removals: Removal[] = [];
  const onRemoved = (removal: Removal) => removals.push(removal);
  const store = new BlockStore(path, { budgetBytes: 1e9, onRemoved, ...options });
  onTestFinished(() => {
    store[Symbol.dispose]();
  });
  return { store, path, removals };
}

/** Puts blocks one after another; each must have been stored. */
export function putAll(store: BlockStore, blocks: readonly NewBlock[]): void {
  for (const block of blocks) {
    const outcome = store.put(block);
    if (outcome.kind !== "stored") throw new Error(`not stored: ${JSON.stringify(outcome)}`);
  }
}

/** Whether `get` finds exactly this block, or what else it says. */
export function found(store: BlockStore, { key, payload }: NewBlock): "whole" | "wrong" | GetOutcome["kind"] {
  const outcome = store.get(key);
  if (outcome.kind !== "found") return outcome.kind;
  return outcome.payload.equals(payload) ? "whole" : "wrong";
}
