import { describe, expect, test } from "vitest";
import { cellBoxes, cellGroups, cellsPerBox } from "../../../src-renderer/memory/cell-map.ts";
import { groupColours, groupExplanation, groupName } from "../../../src-renderer/memory/group-looks.ts";

type Role = "active" | "branch" | "side";
const run = (cells: number, ...holders: readonly (readonly [string, Role])[]) => ({
  cells,
  holders: holders.map(([conversationId, role]) => ({ conversationId, role })),
});

const runs = [
  run(10, ["a", "active"], ["a", "branch"]),
  run(30, ["a", "active"]),
  run(8, ["a", "branch"]),
  run(4, ["b", "side"]),
  run(2, ["a", "active"]),
  run(46),
];

describe("the groups of the map", () => {
  test("are who holds the cells: shared first, free last", () => {
    expect(cellGroups(runs).map(({ key, cells }) => [key, cells])).toEqual([
      ["shared", 10],
      ["active a", 32],
      ["branch a", 8],
      ["side b", 4],
      ["free", 46],
    ]);
  });

  test("together are all cells", () => {
    expect(cellGroups(runs).reduce((sum, { cells }) => sum + cells, 0)).toBe(100);
    expect(cellGroups([])).toEqual([]);
  });

  test("each have a name, an explanation and a look of their own", () => {
    const groups = cellGroups([...runs, run(5, ["c", "branch"])]);
    const colours = groupColours(groups);
    expect(new Set(groups.map(({ key }) => colours.get(key))).size).toBe(groups.length);
    expect(groups.map(({ group }) => groupName(group, (id) => id.toUpperCase()))).toEqual([
      "shared",
      "A",
      "A, other branches",
      "C, other branches",
      "B, side prompt",
      "free",
    ]);
    expect(new Set(groups.map(({ group }) => groupExplanation(group))).size).toBe(5);
  });

  test("a branch has its conversation's colour", () => {
    const colours = groupColours(cellGroups(runs));
    expect(colours.get("active a")).toBe("bg-origin-resident");
    expect(colours.get("branch a")).toBe("bg-origin-resident hatched");
  });
});

describe("the boxes of the map", () => {
  test("stand for a power of two of cells, so that there are not too many", () => {
    expect([1, 384, 385, 2_048, 8_192].map(cellsPerBox)).toEqual([1, 1, 2, 8, 32]);
  });

  test("have all cells, in order, and as many parts as groups meet in them", () => {
    const boxes = cellBoxes(runs, 16);
    expect(boxes).toHaveLength(7);
    expect(boxes[0]).toEqual([
      { key: "shared", cells: 10 },
      { key: "active a", cells: 6 },
    ]);
    expect(boxes[1]).toEqual([{ key: "active a", cells: 16 }]);
    expect(boxes[6]).toEqual([{ key: "free", cells: 4 }]);
    expect(boxes.flat().reduce((sum, { cells }) => sum + cells, 0)).toBe(100);
  });

  test("join neighbouring runs of one group", () => {
    const shared = [run(3, ["a", "active"], ["b", "branch"]), run(3, ["a", "active"], ["c", "branch"])];
    expect(cellBoxes(shared, 8)).toEqual([[{ key: "shared", cells: 6 }]]);
  });
});
