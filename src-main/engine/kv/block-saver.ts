/**
 * Brings tokens from the cells to the store. It owns nothing: what it cuts out of a saved state is handed on at once.
 */
import { readFileSync } from "node:fs";
import type { ResumeRule } from "../cache/reusable-tokens.ts";
import type { StateFolder } from "../llama/state-folder.ts";
import { snapshotKey } from "./block-key.ts";
import { blocksOf, type BlockRange } from "./blocks-of.ts";
import { scratchSequence } from "./cell-stream.ts";
import { stepsHash } from "./computed-steps.ts";
import type { FingerprintParts } from "./fingerprint.ts";
import type { Holding } from "./holding.ts";
import type { KvStore } from "./kv-store.ts";
import { shortestStored } from "./kv-tiers.ts";
import { StateFile } from "./read-state-file.ts";
import { snapshotBytes, stateOverhead, type StateContext } from "./state-context.ts";
import type { StoredChains } from "./stored-chains.ts";
import type { BlockDescription } from "./stored-block.ts";
import { ownersBetween } from "./token-owners.ts";

export interface BlockSaverOptions {
  readonly context: StateContext;
  readonly store: KvStore;
  readonly chains: StoredChains;
  readonly parts: FingerprintParts;
  readonly folder: StateFolder;
  readonly rule: ResumeRule;
  /** Of a sequence, the step of each token. */
  readonly stepsOf: (sequence: number) => readonly number[];
}

/** What a sequence holds. */
interface Held {
  readonly sequence: number;
  readonly tokens: readonly number[];
  readonly holding: Holding;
}

/** So many tokens are saved in one step, which an answer that comes meanwhile waits for. */
const stepTokens = 256;
/** Snapshots of one conversation that are kept: of its last two turns, after the question and after the answer. */
const keptSnapshots = 4;

export class BlockSaver {
  readonly #options: BlockSaverOptions;

  constructor(options: BlockSaverOptions) {
    this.#options = options;
  }

  /** Whether a sequence holds something that is worth storing and is not. */
  isUnsaved(tokens: readonly number[], holding: Holding): boolean {
    return this.#missing(tokens, holding).length > 0;
  }

  /** Roughly, of a snapshot of so many tokens. */
  snapshotBytes(tokens: number): number {
    return snapshotBytes(this.#options.context, tokens);
  }

  /** Hands the next tokens of a sequence to the store. Returns whether there are more. Throws ENGINE_FAILED, StateFileError. */
  async saveStep(sequence: number, tokens: readonly number[], holding: Holding): Promise<boolean> {
    const missing = this.#missing(tokens, holding);
    const [first] = missing;
    if (first === undefined) return false;
    if (this.#options.rule.kind !== "anywhere") {
      await this.#saveSnapshot(first, { sequence, tokens, holding });
      return false;
    }
    const now = missing.filter(({ to }) => to - first.from <= stepTokens);
    await this.#saveBlocks({ sequence, tokens, holding }, now);
    return now.length < missing.length;
  }

  #missing(tokens: readonly number[], { keptTokens, boundaryTokens, role }: Holding): BlockRange[] {
    const { chains, store, rule } = this.#options;
    if (!store.isEnabled || role === "side") return [];
    if (rule.kind !== "anywhere") return this.#missingSnapshot(tokens, keptTokens);
    const kept = tokens.slice(0, keptTokens);
    if (kept.length < shortestStored) return [];
    const ranges = blocksOf(kept, chains.fingerprint, boundaryTokens);
    const firstMissing = ranges.findIndex(({ key }) => !chains.has(key));
    if (firstMissing < 0 || chains.longest(kept) === kept.length) return [];
    return ranges.slice(firstMissing);
  }

  /** A state is saved whole, so only where all of it is to be kept. */
  #missingSnapshot(tokens: readonly number[], keptTokens: number): BlockRange[] {
    const { fingerprint } = this.#options.chains;
    if (keptTokens === 0 || keptTokens < tokens.length) return [];
    const key = snapshotKey(fingerprint, tokens);
    const range = { key, parent: fingerprint, from: 0, to: tokens.length, isTail: true };
    return this.#options.chains.has(key) ? [] : [range];
  }

  async #saveBlocks(held: Held, ranges: readonly BlockRange[]): Promise<void> {
    const { context, folder, store, chains, parts } = this.#options;
    const { sequence } = held;
    const from = ranges[0]?.from ?? 0;
    const to = ranges.at(-1)?.to ?? from;
    await folder.use((to - from) * context.cellBytes * stateOverhead, async (path) => {
      await context.sequences.saveFrom(path, { sequence, from, to, scratch: scratchSequence });
      using file = new StateFile(path);
      if (store.layoutOf(chains.fingerprint) === null) store.describe(chains.fingerprint, parts, file.layout);
      for (const [index, payload] of file.cut(ranges).entries()) {
        const range = ranges[index];
        if (range === undefined) continue;
        store.add({ ...this.#describe(range, held), payload }, range.isTail ? "late" : "soon");
      }
    });
  }

  async #saveSnapshot(range: BlockRange, held: Held): Promise<void> {
    const { context, folder, store, chains, parts } = this.#options;
    await folder.use(this.snapshotBytes(held.tokens.length), async (path) => {
      await context.sequences.saveWhole(path);
      store.describe(chains.fingerprint, parts, null);
      store.add({ ...this.#describe(range, held), payload: readFileSync(path) }, "late");
    });
    this.#dropOldest(held.holding);
  }

  /** That of the system prompt stays, for it serves every chat that begins with it. */
  #dropOldest({ conversationId, boundaryTokens }: Holding): void {
    const { store, chains } = this.#options;
    const own = [...chains.blocks].filter(
      (block) => block.conversationId === conversationId && block.tokens.length !== boundaryTokens,
    );
    const dropped = own.slice(0, -keptSnapshots);
    for (const { tokens } of dropped) chains.losses.note([...tokens], 0, "evicted");
    store.remove(dropped.map(({ key }) => key));
  }

  #describe({ key, parent, from, to }: BlockRange, { sequence, tokens, holding }: Held): BlockDescription {
    const { chains, rule, stepsOf } = this.#options;
    const steps = stepsOf(sequence);
    const isWhole = rule.kind !== "anywhere";
    // What makes it another block than any before is its last tokens.
    const owner = ownersBetween(holding.owners, from, to).at(-1)?.owner ?? holding.conversationId;
    return {
      key,
      parent,
      fingerprint: chains.fingerprint,
      kind: isWhole ? "snapshot" : "rows",
      from,
      tokens: Uint32Array.from(tokens.slice(from, to)),
      steps: Uint32Array.from(steps.slice(from, to)),
      stepsBefore: stepsHash(steps.slice(0, from)),
      conversationId: isWhole ? holding.conversationId : owner,
      turnId: null,
    };
  }
}
