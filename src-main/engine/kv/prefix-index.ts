/**
 * Who holds which tokens from the first on: a radix tree over token ids, of what is in place and of all stored chains.
 * It owns copies of the tokens, each distinct prefix once, and never looks at what a holder is beyond its tier.
 */
import { countHolder, RadixNode } from "./radix-node.ts";

export interface PrefixMatch<Holder> {
  /** How many of the first tokens it holds; at least one. */
  readonly length: number;
  readonly holder: Holder;
}

export interface PrefixSearch<Holder, Tier> {
  /** Only holders of this tier; the others cost nothing. */
  readonly tier?: Tier;
  readonly accepts?: (holder: Holder) => boolean;
}

export class PrefixIndex<Holder, Tier = string> {
  readonly #tierOf: (holder: Holder) => Tier;
  readonly #root = new RadixNode<Holder, Tier>(null, 0, new Uint32Array());
  /** Where each holder's tokens end. */
  readonly #ends = new Map<Holder, RadixNode<Holder, Tier>>();
  #tokenCount = 0;

  /** A holder is one object or primitive for as long as it is in the index, and its tier never changes. */
  constructor(tierOf: (holder: Holder) => Tier) {
    this.#tierOf = tierOf;
  }

  /** How many tokens are kept: as many as there are distinct prefixes. */
  get tokenCount(): number {
    return this.#tokenCount;
  }

  get holderCount(): number {
    return this.#ends.size;
  }

  /** How many tokens this holder has, or `null` for one that is not in the index. */
  lengthOf(holder: Holder): number | null {
    return this.#ends.get(holder)?.end ?? null;
  }

  /** The holder has exactly these tokens from now on, whatever it had before. */
  insert(tokens: ArrayLike<number>, holder: Holder): void {
    const earlier = this.#ends.get(holder);
    this.#attach(holder, this.#place(tokens, this.#root));
    if (earlier !== undefined) this.#detach(holder, earlier);
  }

  /** The holder has these tokens too, behind those it has. Costs what is new, however long the holder is. */
  extend(holder: Holder, tokens: ArrayLike<number>): void {
    const end = this.#ends.get(holder);
    if (end === undefined || end === this.#root) {
      this.insert(tokens, holder);
      return;
    }
    if (end.children.size === 0 && end.holders.size === 1) {
      end.append(tokens);
      this.#tokenCount += tokens.length;
      return;
    }
    this.#attach(holder, this.#place(tokens, end));
    this.#detach(holder, end);
  }

  /** The holder has no more than its first `length` tokens from now on. */
  truncate(holder: Holder, length: number): void {
    const end = this.#ends.get(holder);
    if (end === undefined || length >= end.end) return;
    const node = ancestorAt(end, length);
    this.#attach(holder, length < node.end ? node.cutAt(length) : node);
    this.#detach(holder, end);
  }

  remove(holder: Holder): void {
    const end = this.#ends.get(holder);
    if (end === undefined) return;
    this.#ends.delete(holder);
    this.#detach(holder, end);
  }

  /** The holder with the longest beginning of `tokens`; also one that holds more, or goes on differently. */
  longest(tokens: ArrayLike<number>, search: PrefixSearch<Holder, Tier> = {}): PrefixMatch<Holder> | null {
    const { accepts = () => true } = search;
    for (const match of this.matches(tokens, search.tier)) {
      if (accepts(match.holder)) return match;
    }
    return null;
  }

  /** All holders that have the first token at least, longest beginning first. Valid until the index changes. */
  *matches(tokens: ArrayLike<number>, tier?: Tier): Generator<PrefixMatch<Holder>> {
    const { node, length } = this.#match(tokens, this.#root);
    let searched: RadixNode<Holder, Tier> | null = null;
    let equal = length;
    for (let current: RadixNode<Holder, Tier> | null = node; current !== null && equal > 0; current = current.parent) {
      for (const holder of holdersBelow(current, searched, tier)) yield { length: equal, holder };
      searched = current;
      equal = current.start;
    }
  }

  /** How far down `tokens` leads. They begin at the end of `from`. */
  #match(tokens: ArrayLike<number>, from: RadixNode<Holder, Tier>): { node: RadixNode<Holder, Tier>; length: number } {
    const offset = from.end;
    let node = from;
    for (;;) {
      const next = tokens[node.end - offset];
      const child = next === undefined ? undefined : node.children.get(next);
      if (child === undefined) return { node, length: node.end };
      const length = child.equalUntil(tokens, offset);
      if (length < child.end) return { node: child, length };
      node = child;
    }
  }

  /** The node at which the tokens, which begin at the end of `from`, end; made where there is none. */
  #place(tokens: ArrayLike<number>, from: RadixNode<Holder, Tier>): RadixNode<Holder, Tier> {
    const { node, length } = this.#match(tokens, from);
    const junction = length < node.end ? node.cutAt(length) : node;
    const known = length - from.end;
    if (known === tokens.length) return junction;
    const rest = Uint32Array.from({ length: tokens.length - known }, (_, index) => tokens[known + index] ?? 0);
    const leaf = new RadixNode<Holder, Tier>(junction, length, rest);
    junction.children.set(leaf.firstToken, leaf);
    this.#tokenCount += rest.length;
    return leaf;
  }

  /** May be one more end of a holder that is to leave its other one. */
  #attach(holder: Holder, node: RadixNode<Holder, Tier>): void {
    if (this.#ends.get(holder) !== node) {
      node.holders.add(holder);
      this.#ends.set(holder, node);
    }
    countHolder(node, this.#tierOf(holder), 1);
  }

  #detach(holder: Holder, node: RadixNode<Holder, Tier>): void {
    if (this.#ends.get(holder) !== node) node.holders.delete(holder);
    countHolder(node, this.#tierOf(holder), -1);
    this.#tidy(node);
  }

  /** Nodes that are neither an end nor a fork go: the index is as if what was removed had never been there. */
  #tidy(node: RadixNode<Holder, Tier>): void {
    const { parent } = node;
    if (parent === null || node.holders.size > 0 || node.children.size > 1) return;
    const [child] = node.children.values();
    if (child !== undefined) {
      child.absorbParent();
      return;
    }
    parent.children.delete(node.firstToken);
    this.#tokenCount -= node.length;
    this.#tidy(parent);
  }
}

function ancestorAt<Holder, Tier>(node: RadixNode<Holder, Tier>, length: number): RadixNode<Holder, Tier> {
  let current = node;
  while (current.start >= length && current.parent !== null) current = current.parent;
  return current;
}

/** Holders at a node and below it, but for one child that was searched before. */
function* holdersBelow<Holder, Tier>(
  top: RadixNode<Holder, Tier>,
  except: RadixNode<Holder, Tier> | null,
  tier: Tier | undefined,
): Generator<Holder> {
  const pending = [top];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (tier !== undefined && !node.countByTier.has(tier)) continue;
    yield* node.holders;
    for (const child of node.children.values()) if (child !== except) pending.push(child);
  }
}
