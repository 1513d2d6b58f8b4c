import type { Block } from "./token-tree.ts";

const topLevel = 2;
const deepestLevel = 6;

/**
 * The level of each heading on the page, by its index among the blocks. Models begin with any number of `#`; on the
 * page no level may be skipped. A heading's level depends only on what stands before it.
 */
export function headingLevels(blocks: readonly Block[]): ReadonlyMap<number, number> {
  const levels = new Map<number, number>();
  const open: number[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.kind !== "heading") continue;
    while ((open.at(-1) ?? 0) >= block.depth) open.pop();
    levels.set(index, Math.min(deepestLevel, topLevel + open.length));
    open.push(block.depth);
  }
  return levels;
}
