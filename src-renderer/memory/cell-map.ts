/** The cells of the context as a map: who holds which, in equal boxes. Pure: colours and words are chosen elsewhere. */
import type { CacheState } from "../../src-main/contract/cache.ts";

type Run = CacheState["runs"][number];
type Role = Run["holders"][number]["role"];

export type CellGroup =
  | { readonly kind: "free" }
  /** Two or more sequences hold the same cells. */
  | { readonly kind: "shared" }
  | { readonly kind: Role; readonly conversationId: string };

export interface CountedGroup {
  readonly key: string;
  readonly group: CellGroup;
  readonly cells: number;
}

interface BoxPart {
  readonly key: string;
  readonly cells: number;
}

/** Neighbouring cells of one box, by group. */
export type Box = readonly BoxPart[];

function groupOf({ holders: [first, ...others] }: Run): CellGroup {
  if (first === undefined) return { kind: "free" };
  if (others.length > 0) return { kind: "shared" };
  return { kind: first.role, conversationId: first.conversationId };
}

function keyOf(group: CellGroup): string {
  return group.kind === "free" || group.kind === "shared" ? group.kind : `${group.kind} ${group.conversationId}`;
}

const order: readonly CellGroup["kind"][] = ["shared", "active", "branch", "side", "free"];

/** Every group with its cells: shared ones first, then those of the active conversation, the free ones last. */
export function cellGroups(runs: readonly Run[]): readonly CountedGroup[] {
  const groups = new Map<string, CountedGroup>();
  for (const run of runs) {
    const group = groupOf(run);
    const key = keyOf(group);
    groups.set(key, { key, group, cells: (groups.get(key)?.cells ?? 0) + run.cells });
  }
  return [...groups.values()].sort((a, b) => order.indexOf(a.group.kind) - order.indexOf(b.group.kind));
}

const mostBoxes = 384;

/** How many cells one box of the map stands for: a power of two, so that there are not too many boxes. */
export function cellsPerBox(totalCells: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(Math.max(1, totalCells) / mostBoxes)));
}

/** The runs, cut into boxes of `size` cells each; the last may have fewer. */
export function cellBoxes(runs: readonly Run[], size: number): readonly Box[] {
  const boxes: BoxPart[][] = [];
  let room = 0;
  for (const run of runs) {
    const key = keyOf(groupOf(run));
    for (let left = run.cells; left > 0;) {
      if (room === 0) {
        boxes.push([]);
        room = size;
      }
      const cells = Math.min(left, room);
      addPart(boxes.at(-1), key, cells);
      left -= cells;
      room -= cells;
    }
  }
  return boxes;
}

function addPart(box: BoxPart[] | undefined, key: string, cells: number): void {
  const last = box?.at(-1);
  if (last?.key === key) box?.splice(-1, 1, { key, cells: last.cells + cells });
  else box?.push({ key, cells });
}
