/** The whole way of a conversation through the store: saved from the cells, cut, stored, read, put together, loaded. */
import { blockKey } from "../../src-main/engine/kv/block-key.ts";
import type { BlockStore } from "../../src-main/engine/kv/block-store.ts";
import { StateFile } from "../../src-main/engine/kv/read-state-file.ts";
import type { RowLayout } from "../../src-main/engine/kv/row-layout.ts";
import type { NewBlock } from "../../src-main/engine/kv/stored-block.ts";
import { StateFileWriter } from "../../src-main/engine/kv/write-state-file.ts";
import type { StateFolder } from "../../src-main/engine/llama/state-folder.ts";
import type { RawContext } from "./raw-context.ts";
import { sampleFingerprint, unknownSteps } from "./sample-blocks.ts";

const blockTokens = 256;
const scratchSequence = 255;
const roughBytes = 1 << 20;

interface SaveOptions {
  readonly tokens: readonly number[];
  /** Where the blocks that are stored already end. */
  readonly from?: number;
  readonly sequence?: number;
  /** The key of the last block that is stored already. */
  readonly parent?: string;
}

/** Cuts what a sequence holds of `tokens` from `from` on into blocks, the last one a tail. */
export async function cutBlocks(
  { sequences }: RawContext,
  folder: StateFolder,
  { tokens, from = 0, sequence = 0, parent = sampleFingerprint }: SaveOptions,
): Promise<{ blocks: NewBlock[]; layout: RowLayout }> {
  return await folder.use(roughBytes, async (path) => {
    await sequences.saveFrom(path, { sequence, from, scratch: scratchSequence });
    using file = new StateFile(path);
    const ranges: { from: number; to: number }[] = [];
    for (let at = from; at < tokens.length; at += blockTokens) {
      ranges.push({ from: at, to: Math.min(at + blockTokens, tokens.length) });
    }
    const payloads = file.cut(ranges);
    let before = parent;
    const blocks = ranges.map((range, index): NewBlock => {
      const part = Uint32Array.from(tokens.slice(range.from, range.to));
      const steps = unknownSteps(part.length);
      const block = { key: blockKey(before, part), parent: before, from: range.from, tokens: part, ...steps };
      before = block.key;
      const payload = payloads[index] ?? Buffer.alloc(0);
      return { ...block, fingerprint: sampleFingerprint, kind: "rows", conversationId: null, turnId: null, payload };
    });
    return { blocks, layout: file.layout };
  });
}

interface RestoreOptions {
  readonly store: BlockStore;
  readonly layout: RowLayout;
  readonly blocks: readonly Pick<NewBlock, "key" | "from" | "tokens">[];
  readonly valuesByColumn: boolean;
  /** All positions from that of the first block to here. */
  readonly to: number;
  readonly sequence?: number;
}

/** Puts the beginning of stored blocks back under a sequence id. */
export async function restoreBlocks(
  { sequences }: RawContext,
  folder: StateFolder,
  options: RestoreOptions,
): Promise<void> {
  const { store, layout, blocks, valuesByColumn, to, sequence = 0 } = options;
  await folder.use(roughBytes, async (path) => {
    const from = blocks[0]?.from ?? 0;
    let sizeBytes: number;
    {
      using writer = new StateFileWriter(path, { layout, valuesByColumn, from, tokenCount: to - from });
      for (const block of blocks) {
        const outcome = store.get(block.key);
        if (outcome.kind !== "found") throw new Error(`the block at ${block.from} is ${outcome.kind}`);
        const used = Math.min(block.tokens.length, to - block.from);
        if (used > 0) writer.add(outcome.payload, block.tokens.length, used);
      }
      sizeBytes = writer.finish();
    }
    await sequences.load(path, sequence, sizeBytes);
  });
}
