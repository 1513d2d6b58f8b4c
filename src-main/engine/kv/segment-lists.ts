/**
 * The cells of every sequence as segments: cells behind each other that the same sequences hold. A sequence begins to
 * share only by taking over another's beginning, so of two neighbouring segments the later one's holders also hold the
 * earlier one; merging relies on it. It owns the lists, and keeps neighbours with the same holders joined.
 */
export interface Segment {
  cells: number;
  readonly holders: Set<number>;
}

export class SegmentLists {
  readonly #lists = new Map<number, Segment[]>();

  /** Sequences that hold cells, ascending. */
  get sequences(): number[] {
    return [...this.#lists.keys()].sort((a, b) => a - b);
  }

  has(sequence: number): boolean {
    return this.#lists.has(sequence);
  }

  of(sequence: number): readonly Segment[] {
    return this.#lists.get(sequence) ?? [];
  }

  all(): Segment[] {
    return [...new Set([...this.#lists.values()].flat())];
  }

  append(sequence: number, cells: number): void {
    const list = this.#lists.get(sequence) ?? [];
    const last = list.at(-1);
    if (last?.holders.size === 1) last.cells += cells;
    else list.push({ cells, holders: new Set([sequence]) });
    this.#lists.set(sequence, list);
  }

  /** `to` holds nothing before. */
  share(from: number, to: number, length: number): void {
    const taken = this.of(from).slice(0, this.#boundaryAt(from, length));
    for (const { holders } of taken) holders.add(to);
    if (taken.length > 0) this.#lists.set(to, taken);
  }

  /** Returns how many cells nobody holds any more. */
  truncate(sequence: number, length: number): number {
    const kept = this.#boundaryAt(sequence, length);
    const dropped = this.#lists.get(sequence)?.splice(kept) ?? [];
    if (kept === 0) this.#lists.delete(sequence);
    for (const { holders } of dropped) holders.delete(sequence);
    for (const holder of new Set(dropped.flatMap(({ holders }) => [...holders]))) this.#joinNeighbours(holder);
    return lengthOf(dropped.filter(({ holders }) => holders.size === 0));
  }

  clone(): SegmentLists {
    const copy = new SegmentLists();
    const copies = new Map(
      this.all().map((segment) => [segment, { cells: segment.cells, holders: new Set(segment.holders) }]),
    );
    for (const [sequence, list] of this.#lists) {
      copy.#lists.set(
        sequence,
        list.flatMap((segment) => copies.get(segment) ?? []),
      );
    }
    return copy;
  }

  /** How many segments lie before that length; one that reaches over it is cut in two, for all who hold it. */
  #boundaryAt(sequence: number, length: number): number {
    let position = 0;
    for (const [index, segment] of this.of(sequence).entries()) {
      if (position >= length) return index;
      if (position + segment.cells > length) {
        this.#cut(segment, length - position);
        return index + 1;
      }
      position += segment.cells;
    }
    return this.of(sequence).length;
  }

  #cut(segment: Segment, cells: number): void {
    const rest: Segment = { cells: segment.cells - cells, holders: new Set(segment.holders) };
    segment.cells = cells;
    for (const holder of rest.holders) {
      const list = this.#lists.get(holder);
      list?.splice(list.indexOf(segment) + 1, 0, rest);
    }
  }

  #joinNeighbours(sequence: number): void {
    const list = this.of(sequence);
    for (let index = list.length - 1; index > 0; index -= 1) {
      const [before, after] = [list[index - 1], list[index]];
      if (before === undefined || after?.holders.size !== before.holders.size) continue;
      before.cells += after.cells;
      for (const holder of after.holders) {
        const held = this.#lists.get(holder);
        held?.splice(held.indexOf(after), 1);
      }
    }
  }
}

export function lengthOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { cells }) => sum + cells, 0);
}
