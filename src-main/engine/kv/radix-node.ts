/**
 * One edge of the prefix index with the node at its end. It owns the tokens of the edge, in a buffer of its own that
 * grows by doubling: a view on a longer buffer would keep that alive after the rest is gone.
 */
export class RadixNode<Holder, Tier> {
  /** How many tokens lie before the edge's first one. */
  start: number;
  parent: RadixNode<Holder, Tier> | null;
  /** By the first token of their edges. */
  readonly children: Map<number, RadixNode<Holder, Tier>> = new Map<number, RadixNode<Holder, Tier>>();
  /** Those whose tokens end exactly here. */
  readonly holders: Set<Holder> = new Set<Holder>();
  /** How many holders of each tier are here or below. */
  readonly countByTier: Map<Tier, number> = new Map<Tier, number>();
  #buffer: Uint32Array;
  #length: number;

  constructor(parent: RadixNode<Holder, Tier> | null, start: number, tokens: Uint32Array) {
    this.parent = parent;
    this.start = start;
    this.#buffer = tokens;
    this.#length = tokens.length;
  }

  get length(): number {
    return this.#length;
  }

  /** How many tokens lie before what comes after the edge. */
  get end(): number {
    return this.start + this.#length;
  }

  get firstToken(): number {
    return this.#buffer[0] ?? 0;
  }

  /** The length up to which `tokens`, which is equal before the edge, is equal along it too. */
  equalUntil(tokens: ArrayLike<number>, offset: number): number {
    const from = this.start - offset;
    const limit = Math.min(this.#length, tokens.length - from);
    let count = 0;
    while (count < limit && this.#buffer[count] === tokens[from + count]) count += 1;
    return this.start + count;
  }

  append(tokens: ArrayLike<number>): void {
    const length = this.#length + tokens.length;
    if (length > this.#buffer.length) {
      const larger = new Uint32Array(Math.max(length, 2 * this.#buffer.length));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(tokens, this.#length);
    this.#length = length;
  }

  /** Cuts the edge at a length within it. Returns the new node there, which lies above this one. */
  cutAt(length: number): RadixNode<Holder, Tier> {
    const count = length - this.start;
    const upper = new RadixNode<Holder, Tier>(this.parent, this.start, this.#buffer.slice(0, count));
    for (const [tier, holders] of this.countByTier) upper.countByTier.set(tier, holders);
    this.parent?.children.set(upper.firstToken, upper);
    this.#buffer = this.#buffer.slice(count, this.#length);
    this.#length = this.#buffer.length;
    this.start = length;
    this.parent = upper;
    upper.children.set(this.firstToken, this);
    return upper;
  }

  /** Takes the place of the node above, which has nothing else below it and no holders. */
  absorbParent(): void {
    const upper = this.parent;
    if (upper === null) return;
    const joined = new Uint32Array(upper.#length + this.#length);
    joined.set(upper.#buffer.subarray(0, upper.#length));
    joined.set(this.#buffer.subarray(0, this.#length), upper.#length);
    this.#buffer = joined;
    this.#length = joined.length;
    this.start = upper.start;
    this.parent = upper.parent;
    this.parent?.children.set(this.firstToken, this);
  }
}

/** Counts a holder of this tier in or out, at a node and all the way up. */
export function countHolder<Holder, Tier>(node: RadixNode<Holder, Tier>, tier: Tier, change: 1 | -1): void {
  let current: RadixNode<Holder, Tier> | null = node;
  while (current !== null) {
    const holders: number = (current.countByTier.get(tier) ?? 0) + change;
    if (holders === 0) current.countByTier.delete(tier);
    else current.countByTier.set(tier, holders);
    current = current.parent;
  }
}
