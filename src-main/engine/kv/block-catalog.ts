/**
 * The store's index: which blocks there are, what stands on what, how much they take. It knows nothing of files, and is
 * changed only after the file was.
 */
import type { BlockKey } from "./block-key.ts";
import { diskBytes, type StoredBlock } from "./stored-block.ts";

const none: ReadonlySet<BlockKey> = new Set();

export class BlockCatalog {
  readonly #blocks = new Map<BlockKey, StoredBlock>();
  readonly #children = new Map<BlockKey, Set<BlockKey>>();
  #usedBytes = 0;
  #lastId = 0;

  /** In the order in which they were stored. */
  get blocks(): ReadonlyMap<BlockKey, StoredBlock> {
    return this.#blocks;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Larger than that of any block there was, so that the newest has the largest. */
  get nextId(): number {
    return this.#lastId + 1;
  }

  childrenOf(parent: BlockKey): ReadonlySet<BlockKey> {
    return this.#children.get(parent) ?? none;
  }

  /** The block and all before it, the first one last. */
  chainTo(key: BlockKey): StoredBlock[] {
    const chain: StoredBlock[] = [];
    for (let block = this.#blocks.get(key); block !== undefined; block = this.#blocks.get(block.parent)) {
      chain.push(block);
    }
    return chain;
  }

  /** The block and all that stand on it, each behind the one it stands on. */
  subtree(key: BlockKey): StoredBlock[] {
    const found: StoredBlock[] = [];
    const pending = [key];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const block = this.#blocks.get(next);
      if (block !== undefined) found.push(block);
      pending.push(...this.childrenOf(next));
    }
    return found;
  }

  /** Blocks that a longer one makes superfluous: the same beginning behind the same parent, and nothing stands on them. */
  supersededBy({ parent, kind, tokens }: Pick<StoredBlock, "parent" | "kind" | "tokens">): StoredBlock[] {
    if (kind === "snapshot") return [];
    return [...this.childrenOf(parent)].flatMap((sibling) => {
      const block = this.#blocks.get(sibling);
      const isShorter = block?.kind === "rows" && isShorterPrefix(block, tokens);
      return isShorter && this.childrenOf(sibling).size === 0 ? [block] : [];
    });
  }

  /** Whether a block may be added: what it stands on is there and ends where it begins. */
  canHold({ parent, fingerprint, from }: Pick<StoredBlock, "parent" | "fingerprint" | "from">): boolean {
    if (parent === fingerprint) return from === 0;
    const before = this.#blocks.get(parent);
    return before?.kind === "rows" && before.fingerprint === fingerprint && endOf(before) === from;
  }

  add(block: StoredBlock): void {
    this.#blocks.set(block.key, block);
    const siblings = this.#children.get(block.parent) ?? new Set();
    this.#children.set(block.parent, siblings.add(block.key));
    this.#usedBytes += diskBytes(block.payloadBytes);
    this.#lastId = Math.max(this.#lastId, block.id);
  }

  /** Puts a block with other figures of use in the place of the one with its key. */
  replace(block: StoredBlock): void {
    this.#blocks.set(block.key, block);
  }

  remove(keys: Iterable<BlockKey>): void {
    for (const key of keys) {
      const block = this.#blocks.get(key);
      if (block === undefined) continue;
      this.#blocks.delete(key);
      this.#usedBytes -= diskBytes(block.payloadBytes);
      const siblings = this.#children.get(block.parent);
      siblings?.delete(key);
      if (siblings?.size === 0) this.#children.delete(block.parent);
    }
  }
}

function endOf({ from, tokens }: Pick<StoredBlock, "from" | "tokens">): number {
  return from + tokens.length;
}

/** Whether a block's tokens are the beginning of these, and not all of them. */
export function isShorterPrefix(block: Pick<StoredBlock, "tokens">, tokens: Uint32Array): boolean {
  return block.tokens.length < tokens.length && block.tokens.every((token, index) => tokens[index] === token);
}
