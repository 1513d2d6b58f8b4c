import { activeSequence, type CellRun } from "./cell-ledger.ts";

export interface ParkedSequence {
  readonly sequence: number;
  /** Decayed use as it is now: see decayed-use.ts. */
  readonly use: number;
  readonly lastUsedAtMs: number;
  /** Generating, or needed for the turn: never dropped. */
  readonly isProtected: boolean;
}

/** The cells as they are: a ledger's runs and free count. */
export interface CellState {
  readonly runs: readonly CellRun[];
  readonly free: number;
}

export interface EvictionGoal {
  /** So many cells must be free, or more. */
  readonly freeCells: number;
  /** So many cells may be parked, or fewer. */
  readonly maxParkedCells: number;
}

export interface EvictionPlan {
  /** In the order in which they were chosen. No one of them could stay. */
  readonly drop: readonly number[];
  /** Whether the goal is reached. If not, all that helps and may be dropped is. */
  readonly isEnough: boolean;
}

/**
 * Which parked sequences to drop for the goal: those with the least use for each cell they free, the newest last. Cells
 * that others hold too are not freed, so a sequence that goes on from another one goes before it. Sequences that are
 * not in `parked` stay.
 */
export function planEviction(
  parked: readonly ParkedSequence[],
  cells: CellState,
  { freeCells, maxParkedCells }: EvictionGoal,
): EvictionPlan {
  const isReached = (dropped: ReadonlySet<number>): boolean => {
    const { free, parkedCells } = afterDropping(cells, dropped);
    return free >= freeCells && parkedCells <= maxParkedCells;
  };
  const order = dropOrder(parked, cells, isReached);
  const chosen = new Set(order);
  const isEnough = isReached(chosen);
  // Each was chosen for itself; together with later ones it may be one too many.
  for (const sequence of order.toReversed()) {
    const others = new Set([...chosen].filter((other) => other !== sequence));
    if (isEnough ? isReached(others) : isSame(cells, others, chosen)) chosen.delete(sequence);
  }
  return { drop: order.filter((sequence) => chosen.has(sequence)), isEnough };
}

function dropOrder(
  parked: readonly ParkedSequence[],
  cells: CellState,
  isReached: (dropped: ReadonlySet<number>) => boolean,
): number[] {
  const dropped = new Set<number>();
  const droppable = parked.filter(({ isProtected }) => !isProtected);
  const newestAtMs = Math.max(...droppable.map(({ lastUsedAtMs }) => lastUsedAtMs));
  const newest = droppable.findLast(({ lastUsedAtMs }) => lastUsedAtMs === newestAtMs);
  while (dropped.size < droppable.length && !isReached(dropped)) {
    const gains = gainsOf(cells, dropped);
    const [next] = droppable
      .filter(({ sequence }) => !dropped.has(sequence))
      .map((entry) => ({ entry, usePerCell: entry.use / (gains.get(entry.sequence) ?? 0) }))
      .sort(
        (a, b) =>
          Number(a.entry === newest) - Number(b.entry === newest) ||
          compare(a.usePerCell, b.usePerCell) ||
          a.entry.lastUsedAtMs - b.entry.lastUsedAtMs,
      );
    if (next === undefined) break;
    dropped.add(next.entry.sequence);
  }
  return [...dropped];
}

/** The cells that dropping one more sequence would free; nothing for those that free none. */
function gainsOf({ runs }: CellState, dropped: ReadonlySet<number>): Map<number, number> {
  const gains = new Map<number, number>();
  for (const { cells, sequences } of runs) {
    const [holder, ...others] = sequences.filter((sequence) => !dropped.has(sequence));
    if (holder === undefined || others.length > 0) continue;
    gains.set(holder, (gains.get(holder) ?? 0) + cells);
  }
  return gains;
}

function afterDropping({ runs, free }: CellState, dropped: ReadonlySet<number>): { free: number; parkedCells: number } {
  return runs.reduce(
    (sum, { cells, sequences }) => {
      if (sequences.includes(activeSequence)) return sum;
      const isHeld = sequences.some((sequence) => !dropped.has(sequence));
      return isHeld ? { ...sum, parkedCells: sum.parkedCells + cells } : { ...sum, free: sum.free + cells };
    },
    { free, parkedCells: 0 },
  );
}

function isSame(cells: CellState, dropped: ReadonlySet<number>, other: ReadonlySet<number>): boolean {
  return afterDropping(cells, dropped).free === afterDropping(cells, other).free;
}

/** Also for what frees nothing: no use for no cells is no number, and comes last like all that frees nothing. */
function compare(a: number, b: number): number {
  const rank = (value: number): number => (Number.isFinite(value) ? value : Infinity);
  return rank(a) === rank(b) ? 0 : rank(a) - rank(b);
}
