/**
 * The stored tier as the engine uses it, for whatever models are loaded one after another. It owns kv.db, the writer
 * behind it, the blocks kept in memory, and for every fingerprint the index over its chains.
 */
import { totalmem } from "node:os";
import { dirname } from "node:path";
import type { StoreSettings } from "../../contract/cache.ts";
import type { BlockKey } from "./block-key.ts";
import { BlockStore } from "./block-store.ts";
import { BlockWriter, type WriteOutcome } from "./block-writer.ts";
import { conversationRemoval } from "./conversation-removal.ts";
import type { Fingerprint } from "./fingerprint.ts";
import type { LossReason } from "./loss-log.ts";
import { lossOfFailure, lossOfRemoval } from "./store-losses.ts";
import type { RowLayout } from "./row-layout.ts";
import { RecentBlocks } from "./recent-blocks.ts";
import { defaultStoreBudget, freeDiskBytes } from "./store-budget.ts";
import type { Removal, StoreFigures } from "./store-outcome.ts";
import { StoredChains } from "./stored-chains.ts";
import type { BlockDescription, NewBlock, StoredBlock } from "./stored-block.ts";

export interface KvStoreOptions {
  readonly settings: StoreSettings;
  /** See BlockWriterOptions. */
  readonly whenIdle: () => Promise<void>;
  readonly onChanged: () => void;
}

const mebibyte = 1 << 20;
const maxPendingBytes = 256 * mebibyte;
/** Twenty conversations of 2,000 tokens on a small model, if the machine has the memory: from here they come back fastest. */
const recentBytes = Math.min(1_024 * mebibyte, Math.floor(totalmem() / 16));

export class KvStore implements Disposable {
  readonly path: string;
  readonly #store: BlockStore;
  readonly #recent = new RecentBlocks(recentBytes);
  readonly #writer: BlockWriter;
  readonly #chains = new Map<Fingerprint, StoredChains>();
  readonly #onChanged: () => void;
  /** Bytes handed to the file since somebody asked, by conversation. */
  readonly #written = new Map<string, number>();
  #settings: StoreSettings;

  constructor(path: string, { settings, whenIdle, onChanged }: KvStoreOptions) {
    this.path = path;
    this.#settings = settings;
    this.#onChanged = onChanged;
    this.#store = new BlockStore(path, {
      budgetBytes: settings.budgetBytes,
      onRemoved: (removal) => {
        this.#removed(removal);
      },
    });
    this.prompts.isEnabled = settings.isEnabled;
    const onOutcome = (block: BlockDescription, outcome: WriteOutcome) => {
      this.#settled(block, outcome);
    };
    this.#writer = new BlockWriter({ store: this.#store, recent: this.#recent, whenIdle, maxPendingBytes, onOutcome });
  }

  [Symbol.dispose](): void {
    this.#writer.flush();
    this.prompts.flush();
    this.#store[Symbol.dispose]();
  }

  get isEnabled(): boolean {
    return this.#settings.isEnabled;
  }

  get weightsHashes(): BlockStore["weightsHashes"] {
    return this.#store.weightsHashes;
  }

  /** What is remembered of prompts through a restart. */
  get prompts(): BlockStore["prompts"] {
    return this.#store.prompts;
  }

  get lostBlocks(): BlockStore["lostBlocks"] {
    return this.#store.lostBlocks;
  }

  get fingerprints(): BlockStore["fingerprints"] {
    return this.#store.fingerprints;
  }

  get usedBytes(): number {
    return this.#store.usedBytes;
  }

  get figures(): StoreFigures {
    return this.#store.figures;
  }

  get pendingBytes(): number {
    return this.#recent.heldBytes;
  }

  get storedBlocks(): Iterable<StoredBlock> {
    return this.#store.blocks.values();
  }

  get evictions(): ReturnType<BlockStore["evictions"]> {
    return this.#store.evictions();
  }

  /** What is stored for a fingerprint. */
  chainsOf(fingerprint: Fingerprint): StoredChains {
    const known = this.#chains.get(fingerprint);
    if (known !== undefined) return known;
    const chains = new StoredChains(fingerprint);
    for (const block of this.#store.blocks.values()) if (block.fingerprint === fingerprint) chains.add(block);
    this.#chains.set(fingerprint, chains);
    return chains;
  }

  /** Of a fingerprint's blocks; `null` before the first one. */
  layoutOf(fingerprint: Fingerprint): RowLayout | null {
    return this.#store.fingerprints.get(fingerprint)?.layout ?? null;
  }

  describe(...description: Parameters<BlockStore["describeFingerprint"]>): void {
    this.#store.describeFingerprint(...description);
  }

  add(block: NewBlock, when: "soon" | "late"): void {
    if (!this.isEnabled) return;
    this.chainsOf(block.fingerprint).add(block);
    this.#writer.add(block, when);
    this.#onChanged();
  }

  /** A block's bytes, from memory or from the file; `null` when they cannot be had. */
  payload(key: BlockKey): Uint8Array | null {
    const recent = this.#recent.get(key);
    if (recent !== null) {
      this.#store.touch([key]);
      return recent;
    }
    const outcome = this.#store.get(key);
    if (outcome.kind !== "found") return null;
    this.#recent.add(key, outcome.payload);
    return outcome.payload;
  }

  /** Tails are due now. */
  writeLate(): void {
    this.#writer.writeLate();
  }

  remove(keys: readonly BlockKey[]): void {
    this.#discard(keys, null);
    this.#store.remove(keys);
  }

  /** Whatever only this conversation made goes, from the file too. What others went on from is theirs from now on. */
  forget(conversationId: string): void {
    const { removed } = conversationRemoval(this.#writer.pendingBlocks, conversationId);
    this.#discard(keysOf(removed), null);
    // What others have put behind its blocks has to be with these when it is decided which of them stay.
    this.#writer.flush();
    for (const block of this.#store.removeConversation(conversationId)) {
      this.#chains.get(block.fingerprint)?.replace(block);
    }
    this.#onChanged();
  }

  clear(): void {
    this.#discard(keysOf(this.#writer.pendingBlocks), "cancelled");
    this.#store.clear();
    this.#recent.setBudget(0);
    this.#recent.setBudget(recentBytes);
    this.#onChanged();
  }

  configure(settings: StoreSettings): void {
    this.#settings = settings;
    this.prompts.isEnabled = settings.isEnabled;
    // What waits is not written any more.
    if (!settings.isEnabled) this.#discard(keysOf(this.#writer.pendingBlocks), "cancelled");
    const { budgetBytes } = settings;
    this.#store.setBudget(budgetBytes ?? defaultStoreBudget(freeDiskBytes(dirname(this.path)), this.usedBytes));
    this.#onChanged();
  }

  pin(conversationIds: readonly string[]): void {
    this.#store.pin(conversationIds);
  }

  verify(): ReturnType<BlockStore["verify"]> {
    return this.#store.verify();
  }

  /** What was written for a conversation since this was asked the last time. */
  takeWrittenBytes(conversationId: string): number {
    const bytes = this.#written.get(conversationId) ?? 0;
    this.#written.delete(conversationId);
    return bytes;
  }

  /** `reason`: why what was to be written is lost; `null` where nobody will miss it. */
  #discard(keys: Iterable<BlockKey>, reason: LossReason | null): void {
    // The last first: a loss is noted by all the tokens of its chain.
    for (const { key, fingerprint } of this.#writer.discard(keys).toReversed())
      this.#chains.get(fingerprint)?.remove(key, reason);
  }

  #removed({ cause, blocks }: Removal): void {
    const last = blocks.toReversed();
    for (const { fingerprint, key } of last) {
      this.#recent.delete(key);
      this.#chains.get(fingerprint)?.remove(key, lossOfRemoval[cause]);
    }
    this.#onChanged();
  }

  #settled(block: BlockDescription, outcome: WriteOutcome): void {
    const chains = this.#chains.get(block.fingerprint);
    if (outcome.kind === "superseded") chains?.remove(block.key, null);
    if (outcome.kind === "failed") {
      this.#recent.delete(block.key);
      chains?.remove(block.key, lossOfFailure(outcome.reason));
    }
    if (outcome.kind === "stored" && block.conversationId !== null) {
      const before = this.#written.get(block.conversationId) ?? 0;
      this.#written.set(block.conversationId, before + outcome.writtenBytes);
    }
    this.#onChanged();
  }
}

const keysOf = (blocks: readonly BlockDescription[]): BlockKey[] => blocks.map(({ key }) => key);
