/**
 * The blocks in kv.db. It owns the file and the index over it, which changes only after the file did. Nothing in it is
 * needed: whatever goes wrong with the file is an outcome with its reason, and what was stored is computed again.
 */
import { dirname } from "node:path";
import { crc32 } from "node:zlib";
import { BlockCatalog } from "./block-catalog.ts";
import { evictBlocks, insertBlock, removeBlocks, writtenBytesOf, writtenTotal } from "./block-changes.ts";
import { isSound } from "./is-sound.ts";
import type { BlockKey } from "./block-key.ts";
import type { BlockTables } from "./block-tables.ts";
import { conversationRemoval } from "./conversation-removal.ts";
import { usedAgain } from "./decayed-use.ts";
import type { EvictionEntry } from "./eviction-log.ts";
import type { Fingerprint, FingerprintParts } from "./fingerprint.ts";
import { FingerprintRegistry, type KnownFingerprint } from "./fingerprint-registry.ts";
import { KvFile } from "./kv-file.ts";
import { LostBlocks, noteLostBlocks } from "./lost-blocks.ts";
import { planInsert } from "./plan-insert.ts";
import { PromptArchive } from "./prompt-archive.ts";
import type { RowLayout } from "./row-layout.ts";
import { defaultStoreBudget, freeDiskBytes } from "./store-budget.ts";
import { storeHalfLifeMs } from "./store-eviction.ts";
import type { GetOutcome, PutOutcome, Removal, RemovalCause, StoreFigures } from "./store-outcome.ts";
import { findExcess } from "./store-room.ts";
import type { NewBlock, StoredBlock } from "./stored-block.ts";
import type { WeightsHashCache } from "./weights-hash.ts";
import { weightsHashCache } from "./weights-hash-cache.ts";

export interface BlockStoreOptions {
  /** `null`: 8 GB or a tenth of the free disk, the smaller. */
  readonly budgetBytes: number | null;
  readonly onRemoved: (removal: Removal) => void;
  readonly now?: () => number;
}

const vacuumStepBytes = 4 << 20;
/** Room that is kept for the next blocks: giving it back and taking it again costs writes. */
const keptFreeBytes = 64 << 20;

export class BlockStore implements Disposable {
  readonly weightsHashes: WeightsHashCache;
  readonly prompts: PromptArchive;
  readonly lostBlocks: LostBlocks;
  readonly #catalog = new BlockCatalog();
  readonly #fingerprints = new FingerprintRegistry();
  readonly #file: KvFile;
  readonly #now: () => number;
  readonly #onRemoved: BlockStoreOptions["onRemoved"];
  readonly #touched = new Set<BlockKey>();
  #pinned: ReadonlySet<string> = new Set();
  #budgetBytes: number;

  /** `path`: absolute. Opens or creates the file; where neither works the store is empty, and `figures` says why. */
  constructor(path: string, { budgetBytes, onRemoved, now = Date.now }: BlockStoreOptions) {
    this.#now = now;
    this.#onRemoved = onRemoved;
    this.#file = new KvFile(path, now, {
      onOpened: (tables) => {
        this.#load(tables);
      },
      onLost: (cause) => {
        this.#forget(cause, [...this.blocks.values()]);
      },
    });
    this.weightsHashes = weightsHashCache(this.#file);
    this.prompts = new PromptArchive(this.#file);
    this.lostBlocks = new LostBlocks(this.#file);
    this.#budgetBytes = budgetBytes ?? defaultStoreBudget(freeDiskBytes(dirname(path)), this.#catalog.usedBytes);
    this.#shrink();
  }

  [Symbol.dispose](): void {
    this.saveUse();
    this.#file[Symbol.dispose]();
  }

  /** All there is, in the order in which it was stored: a block always behind the one it stands on. */
  get blocks(): ReadonlyMap<BlockKey, StoredBlock> {
    return this.#catalog.blocks;
  }

  /** Blocks that stand on this one; on a fingerprint: first blocks, and snapshots. */
  childrenOf(parent: BlockKey): StoredBlock[] {
    return [...this.#catalog.childrenOf(parent)].flatMap((key) => this.blocks.get(key) ?? []);
  }

  get fingerprints(): ReadonlyMap<Fingerprint, KnownFingerprint> {
    return this.#fingerprints.known;
  }

  /** Says what a fingerprint stands for; `layout` as soon as it is known. */
  describeFingerprint(fingerprint: Fingerprint, parts: FingerprintParts, layout: RowLayout | null): void {
    this.#fingerprints.set(this.#file, fingerprint, { parts, layout });
  }

  put({ payload, ...description }: NewBlock): PutOutcome {
    const checksum = crc32(payload);
    const written = this.#file.write((tables) => {
      const block = this.blocks.get(description.key);
      if (block !== undefined) return { kind: "present", block, isSame: block.checksum === checksum } as const;
      const plan = planInsert(this.#catalog, {
        description,
        payloadBytes: payload.length,
        checksum,
        budgetBytes: this.#budgetBytes,
        pinned: this.#pinned,
        nowMs: this.#now(),
      });
      if (plan.kind === "planned") insertBlock(tables, plan, payload);
      else if (plan.reason === "over-budget") noteLostBlocks(tables, [description], "over-budget");
      return plan;
    });
    if (written.kind === "failed") return written;
    const { result } = written;
    if (result.kind !== "planned") return result;
    this.#forget("evicted", result.evicted);
    this.#forget("superseded", result.superseded);
    this.#catalog.add(result.block);
    return { kind: "stored", block: result.block, writtenBytes: writtenBytesOf(result.block) };
  }

  get(key: BlockKey): GetOutcome {
    const read = this.#file.attempt(({ tables }) => {
      const block = this.blocks.get(key);
      return block === undefined ? null : { block, payload: tables.payload(block.id) };
    });
    if (read.kind === "failed") return read;
    if (read.result === null) return { kind: "missing" };
    const { block, payload } = read.result;
    if (payload === null || !isSound(block, payload)) {
      const dropped = this.#catalog.subtree(key);
      this.#remove("damaged", dropped);
      return { kind: "damaged", dropped };
    }
    this.touch([key]);
    return { kind: "found", block, payload };
  }

  /** Counts a use, also one that was served from memory. */
  touch(keys: Iterable<BlockKey>): void {
    const nowMs = this.#now();
    for (const key of keys) {
      const block = this.blocks.get(key);
      if (block === undefined) continue;
      this.#catalog.replace({ ...block, use: usedAgain(block.use, nowMs, storeHalfLifeMs) });
      this.#touched.add(key);
    }
  }

  /** Writes what `touch` counted; for idle moments. */
  saveUse(): void {
    const blocks = [...this.#touched].flatMap((key) => this.blocks.get(key) ?? []);
    this.#touched.clear();
    if (blocks.length === 0) return;
    this.#file.write((tables) => {
      blocks.forEach(tables.setUse);
    });
  }

  /** Removes blocks and all that stand on them. */
  remove(keys: Iterable<BlockKey>): void {
    for (const key of keys) this.#remove("deleted", this.#catalog.subtree(key));
  }

  /**
   * Removes what only this conversation made, its tokens without a trace. What others went on from stays, as theirs: it
   * is returned. Where the file cannot be changed now it has to be asked for again; nothing of it is used meanwhile.
   */
  removeConversation(conversationId: string): readonly StoredBlock[] {
    const { removed, inherited } = conversationRemoval(this.blocks.values(), conversationId);
    this.#file.write((tables) => {
      tables.forgetEvictions(conversationId);
      inherited.forEach(tables.setConversation);
    });
    for (const block of inherited) this.#catalog.replace(block);
    this.#remove("deleted", removed);
    this.lostBlocks.forget(conversationId);
    this.#file.scrub();
    return inherited;
  }

  /** Begins with an empty file. */
  clear(): void {
    this.#file.clear();
    this.prompts.discard();
  }

  /** Conversations whose blocks are evicted last. */
  pin(conversationIds: Iterable<string>): void {
    this.#pinned = new Set(conversationIds);
  }

  setBudget(budgetBytes: number): void {
    this.#budgetBytes = budgetBytes;
    this.#shrink();
  }

  /** One small step of giving room back to the disk; for idle moments. Returns whether there may be more to do. */
  vacuumStep(): boolean {
    const keptBytes = Math.min(keptFreeBytes, Math.max(0, this.#budgetBytes - this.#catalog.usedBytes));
    return this.#file.vacuumStep(keptBytes, vacuumStepBytes) > 0;
  }

  /** Reads every block and compares it with its checksum, one a step; damaged ones are dropped. */
  *verify(): Generator<GetOutcome> {
    for (const key of [...this.blocks.keys()]) yield this.get(key);
  }

  /** The newest first. */
  evictions(): EvictionEntry[] {
    const read = this.#file.attempt(({ tables }) => tables.evictions());
    return read.kind === "done" ? read.result : [];
  }

  /** Of `figures`, what answers and settings ask for. */
  get usedBytes(): number {
    return this.#catalog.usedBytes;
  }

  get figures(): StoreFigures {
    const written = this.#file.attempt(({ tables }) => tables.total(writtenTotal));
    const blocks = [...this.blocks.values()];
    return {
      failure: this.#file.failure,
      startedAnew: this.#file.startedAnew,
      budgetBytes: this.#budgetBytes,
      usedBytes: this.usedBytes,
      fileBytes: this.#file.sizeBytes,
      blockCount: blocks.length,
      tokenCount: blocks.reduce((sum, { tokens }) => sum + tokens.length, 0),
      writtenBytes: written.kind === "done" ? written.result : 0,
    };
  }

  /** What does not fit together is not taken in: it could never be found, or led astray. */
  #load(tables: BlockTables): void {
    this.#fingerprints.load(tables);
    for (const block of tables.list()) {
      if (this.#catalog.canHold(block) && block.tokens.length > 0) this.#catalog.add(block);
      else tables.remove(block);
    }
  }

  #shrink(): void {
    const nowMs = this.#now();
    const excess = findExcess(this.#catalog, { budgetBytes: this.#budgetBytes, pinned: this.#pinned, nowMs });
    if (excess.length === 0) return;
    const written = this.#file.write((tables) => {
      evictBlocks(tables, excess, nowMs);
    });
    if (written.kind === "done") this.#forget("evicted", excess);
  }

  /** Also where the file cannot be changed: what is not in the index is not used. */
  #remove(cause: RemovalCause, blocks: readonly StoredBlock[]): void {
    this.#file.write((tables) => {
      removeBlocks(tables, blocks, cause);
    });
    this.#forget(cause, blocks);
  }

  #forget(cause: RemovalCause, blocks: readonly StoredBlock[]): void {
    if (blocks.length === 0) return;
    this.#catalog.remove(blocks.map(({ key }) => key));
    this.#onRemoved({ cause, blocks });
  }
}
