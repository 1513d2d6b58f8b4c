import type { BlockKey } from "./block-key.ts";

interface Entry {
  readonly payload: Uint8Array;
  isHeld: boolean;
}

/**
 * The blocks that are served from memory: those whose write is pending, and the ones used last. It owns the payloads and
 * keeps them under a budget, the least recently used leaving first; held ones stay whatever they take.
 */
export class RecentBlocks {
  /** The one used last is the last. */
  readonly #entries = new Map<BlockKey, Entry>();
  #budgetBytes: number;
  #usedBytes = 0;
  #heldBytes = 0;

  constructor(budgetBytes: number) {
    this.#budgetBytes = budgetBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get(key: BlockKey): Uint8Array | null {
    const entry = this.#entries.get(key);
    if (entry === undefined) return null;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.payload;
  }

  add(key: BlockKey, payload: Uint8Array): void {
    if (this.get(key) !== null) return;
    this.#entries.set(key, { payload, isHeld: false });
    this.#usedBytes += payload.length;
    this.#trim();
  }

  /** Adds a block that must not leave before it is released. */
  hold(key: BlockKey, payload: Uint8Array): void {
    const known = this.#entries.get(key);
    if (known?.isHeld === true) return;
    this.delete(key);
    this.#entries.set(key, { payload, isHeld: true });
    this.#usedBytes += payload.length;
    this.#heldBytes += payload.length;
    this.#trim();
  }

  release(key: BlockKey): void {
    const entry = this.#entries.get(key);
    if (entry?.isHeld !== true) return;
    entry.isHeld = false;
    this.#heldBytes -= entry.payload.length;
    this.#trim();
  }

  delete(key: BlockKey): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#usedBytes -= entry.payload.length;
    if (entry.isHeld) this.#heldBytes -= entry.payload.length;
  }

  setBudget(budgetBytes: number): void {
    this.#budgetBytes = budgetBytes;
    this.#trim();
  }

  #trim(): void {
    if (this.#usedBytes <= this.#budgetBytes) return;
    for (const [key, { isHeld }] of this.#entries) {
      if (!isHeld) this.delete(key);
      if (this.#usedBytes <= this.#budgetBytes) return;
    }
  }
}
