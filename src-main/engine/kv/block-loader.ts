/**
 * Brings tokens from the store to the active sequence. It owns nothing. Whatever goes wrong, what was not restored is not
 * there, and can be computed.
 */
import { readFileSync, statSync, writeFileSync } from "node:fs";
import type { ResumeRule } from "../cache/reusable-tokens.ts";
import type { StateFolder } from "../llama/state-folder.ts";
import { activeSequence } from "./cell-ledger.ts";
import { scratchSequence } from "./cell-stream.ts";
import type { KvStore } from "./kv-store.ts";
import { bytesPerToken, type RowLayout } from "./row-layout.ts";
import { snapshotBytes, stateOverhead, type StateContext } from "./state-context.ts";
import type { StoredChains, StoredMatch } from "./stored-chains.ts";
import type { BlockDescription } from "./stored-block.ts";
import { StateFileWriter } from "./write-state-file.ts";

export interface BlockLoaderOptions {
  readonly context: StateContext;
  readonly store: KvStore;
  readonly chains: StoredChains;
  readonly folder: StateFolder;
  readonly rule: ResumeRule;
}

export class BlockLoader {
  readonly #options: BlockLoaderOptions;

  constructor(options: BlockLoaderOptions) {
    this.#options = options;
  }

  /** How many of the tokens up to `to` the active sequence holds afterwards, where it held `from` before. */
  async restore(match: StoredMatch, from: number, to: number): Promise<number> {
    const { rule } = this.#options;
    return rule.kind === "anywhere" ? await this.#restoreRows(match, from, to) : await this.#restoreSnapshot(match);
  }

  /**
   * Puts the active sequence's `tokens` cells in the order of its tokens again. Kernels add up in the order of the
   * cells, and round accordingly: only in that order does a conversation go on as if nothing had been released between
   * its cells. Nothing else may hold cells. Returns whether they are there again; if not, there are none.
   */
  async repack(tokens: number): Promise<boolean> {
    const { context, folder } = this.#options;
    return await folder.use(tokens * context.cellBytes * stateOverhead, async (path) => {
      try {
        await context.sequences.saveWhole(path);
      } catch {
        return false;
      }
      return await this.#load(path, statSync(path).size, 0);
    });
  }

  async #restoreRows({ blocks }: StoredMatch, from: number, to: number): Promise<number> {
    const { context, folder, store, chains } = this.#options;
    const layout = store.layoutOf(chains.fingerprint);
    const needed = blocks.filter((block) => block.from + block.tokens.length > from && block.from < to);
    const loaded = loadedBlocks(needed, store);
    const start = loaded[0]?.block.from;
    const last = loaded.at(-1)?.block;
    if (layout === null || start === undefined || last === undefined) return from;
    const end = Math.min(to, last.from + last.tokens.length);
    if (end <= from) return from;
    const { valuesByColumn } = context;
    const isRestored = await folder.useAgain((end - start) * bytesPerToken(layout) * stateOverhead, async (path) => {
      const sizeBytes = writeBlocks(path, loaded, { layout, start, end, valuesByColumn });
      return await this.#load(path, sizeBytes, start);
    });
    return isRestored ? end : start;
  }

  async #restoreSnapshot({ blocks, length }: StoredMatch): Promise<number> {
    const payload = this.#options.store.payload(blocks[0]?.key ?? "");
    return payload !== null && (await this.putState(payload)) ? length : 0;
  }

  /** A copy of the active sequence, which has so many tokens; `null` where it cannot be saved. */
  async copyState(tokens: number): Promise<Uint8Array | null> {
    const { context, folder } = this.#options;
    return await folder.use(snapshotBytes(context, tokens), async (path) => {
      try {
        await context.sequences.saveWhole(path);
        return readFileSync(path);
      } catch {
        return null;
      }
    });
  }

  /** Puts a copied state in the place of the active sequence. Returns whether it is there; if not, nothing is. */
  async putState(state: Uint8Array): Promise<boolean> {
    return await this.#options.folder.use(state.length, async (path) => {
      writeFileSync(path, state, { mode: 0o600 });
      return await this.#load(path, state.length, 0);
    });
  }

  /** Cells taken out of the middle would leave a gap for later tokens to fill: so all from `start` on are replaced. */
  async #load(path: string, sizeBytes: number, start: number): Promise<boolean> {
    const { sequences } = this.#options.context;
    const target = start === 0 ? activeSequence : scratchSequence;
    sequences.remove(activeSequence, start);
    try {
      await sequences.load(path, target, sizeBytes);
      if (target === scratchSequence) await sequences.copy(activeSequence, scratchSequence);
      return true;
    } catch {
      sequences.remove(activeSequence, start);
      return false;
    } finally {
      if (target === scratchSequence) sequences.remove(scratchSequence);
    }
  }
}

interface LoadedBlock {
  readonly block: BlockDescription;
  readonly payload: Uint8Array;
}

/** Up to the first that cannot be had. */
function loadedBlocks(blocks: readonly BlockDescription[], store: KvStore): LoadedBlock[] {
  const loaded: LoadedBlock[] = [];
  for (const block of blocks) {
    const payload = store.payload(block.key);
    if (payload === null) break;
    loaded.push({ block, payload });
  }
  return loaded;
}

interface StateShape {
  readonly layout: RowLayout;
  readonly start: number;
  readonly end: number;
  readonly valuesByColumn: boolean;
}

/** Returns the file's size. */
function writeBlocks(path: string, blocks: readonly LoadedBlock[], shape: StateShape): number {
  const { layout, start, end, valuesByColumn } = shape;
  using writer = new StateFileWriter(path, { layout, valuesByColumn, from: start, tokenCount: end - start });
  for (const { block, payload } of blocks) {
    const used = Math.min(block.tokens.length, end - block.from);
    if (used > 0) writer.add(payload, block.tokens.length, used);
  }
  return writer.finish();
}
