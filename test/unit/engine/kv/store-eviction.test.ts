import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planStoreEviction, type EvictionCandidate } from "../../../../src-main/engine/kv/store-eviction.ts";

const dayMs = 24 * 3_600_000;

function candidate(
  key: string,
  values: Partial<EvictionCandidate> & { score?: number; atMs?: number } = {},
): EvictionCandidate {
  const { score = 1, atMs = 0, ...rest } = values;
  return { key, parent: "root", from: 0, diskBytes: 100, use: { score, atMs }, isPinned: false, ...rest };
}

/** A chain of 100-byte blocks: `a` has the first, `ab` the second. */
function chain(name: string, score = 1): EvictionCandidate[] {
  return Array.from(name, (_, index) => {
    const key = name.slice(0, index + 1);
    return candidate(key, { parent: index === 0 ? "root" : name.slice(0, index), from: index * 256, score });
  });
}

describe("what goes when the store is full", () => {
  test("is what was used least", () => {
    const blocks = [candidate("a", { score: 3 }), candidate("b"), candidate("c", { score: 2 })];
    expect(planStoreEviction(blocks, 150, 0)).toEqual({ evict: ["b", "c"], freedBytes: 200, isEnough: true });
  });

  test("is what was used long ago, even where it was used often", () => {
    const blocks = [candidate("often", { score: 6 }), candidate("lately", { score: 1, atMs: 3 * dayMs })];
    expect(planStoreEviction(blocks, 1, 3 * dayMs).evict).toEqual(["often"]);
  });

  test("is the larger of two that are used alike", () => {
    const blocks = [candidate("small"), candidate("large", { diskBytes: 5_000 })];
    expect(planStoreEviction(blocks, 1, 0).evict).toEqual(["large"]);
  });

  test("is the end of a conversation before its beginning, whichever was used more", () => {
    const reused = chain("abc").map((block) =>
      block.key === "abc" ? { ...block, use: { score: 9, atMs: 0 } } : block,
    );
    expect(planStoreEviction(reused, 300, 0).evict).toEqual(["abc", "ab", "a"]);
  });

  test("is never what something more useful stands on", () => {
    const blocks = [...chain("ab", 1), ...chain("ac", 5).slice(1), candidate("d", { score: 2 })];
    expect(planStoreEviction(blocks, 250, 0).evict).toEqual(["ab", "d", "ac"]);
  });

  test("is a pinned conversation last, with all it stands on", () => {
    const pinned = chain("pq", 1).map((block) => ({ ...block, isPinned: block.key === "pq" }));
    const blocks = [...pinned, candidate("x", { score: 50 })];
    expect(planStoreEviction(blocks, 100, 0).evict).toEqual(["x"]);
    expect(planStoreEviction(blocks, 300, 0).evict).toEqual(["x", "pq", "p"]);
  });

  test("is nothing that must stay, nor what that stands on: then it is not enough", () => {
    const blocks = [...chain("ab"), candidate("c")];
    expect(planStoreEviction(blocks, 300, 0, new Set(["ab"]))).toEqual({
      evict: ["c"],
      freedBytes: 100,
      isEnough: false,
    });
  });

  test("is nothing where there is room", () => {
    expect(planStoreEviction(chain("abc"), 0, 0)).toEqual({ evict: [], freedBytes: 0, isEnough: true });
  });
});

const forests = fc
  .array(
    fc.record({
      parent: fc.nat(),
      isRoot: fc.boolean(),
      diskBytes: fc.integer({ min: 1, max: 1_000 }),
      score: fc.double({ min: 0.01, max: 10, noNaN: true }),
      atMs: fc.integer({ min: 0, max: 5 * dayMs }),
      isPinned: fc.boolean(),
    }),
    { maxLength: 40 },
  )
  .map((nodes) => {
    const blocks: EvictionCandidate[] = [];
    for (const [index, { parent, isRoot, score, atMs, diskBytes, isPinned }] of nodes.entries()) {
      const before = isRoot ? undefined : blocks[parent % Math.max(1, index)];
      const place = { parent: before?.key ?? "root", from: before === undefined ? 0 : before.from + 1 };
      blocks.push(candidate(`b${index}`, { ...place, score, atMs, diskBytes, isPinned }));
    }
    return blocks;
  });

function worthAt(nowMs: number): (block: EvictionCandidate) => number {
  return ({ use, diskBytes }) => (use.score * 0.5 ** (Math.max(0, nowMs - use.atMs) / dayMs)) / diskBytes;
}

/** The same decision, one step after another: of what nothing stands on, the one that is worth least. */
function naivePlan(blocks: readonly EvictionCandidate[], needBytes: number, nowMs: number, keep: ReadonlySet<string>) {
  const left = [...blocks];
  const evict: string[] = [];
  let freedBytes = 0;
  const ancestors = (block: EvictionCandidate): EvictionCandidate[] => {
    const before = blocks.find(({ key }) => key === block.parent);
    return before === undefined ? [block] : [block, ...ancestors(before)];
  };
  const kept = new Set(
    blocks.filter(({ key }) => keep.has(key)).flatMap((block) => ancestors(block).map(({ key }) => key)),
  );
  const pinned = new Set(
    blocks.filter(({ isPinned }) => isPinned).flatMap((block) => ancestors(block).map(({ key }) => key)),
  );
  const worth = worthAt(nowMs);
  while (freedBytes < needBytes) {
    const leaves = left.filter((block) => !kept.has(block.key) && left.every(({ parent }) => parent !== block.key));
    leaves.sort((a, b) => Number(pinned.has(a.key)) - Number(pinned.has(b.key)) || worth(a) - worth(b));
    const [victim] = leaves;
    if (victim === undefined) break;
    left.splice(left.indexOf(victim), 1);
    evict.push(victim.key);
    freedBytes += victim.diskBytes;
  }
  return { evict, freedBytes, isEnough: freedBytes >= needBytes };
}

describe("for any blocks", () => {
  const requests = fc.record({
    blocks: forests,
    needBytes: fc.integer({ min: 0, max: 5_000 }),
    nowMs: fc.integer({ min: 0, max: 9 * dayMs }),
    kept: fc.nat(),
  });
  const keep = (blocks: readonly EvictionCandidate[], kept: number) =>
    new Set([`b${kept % Math.max(1, blocks.length)}`]);

  test("the plan is that of taking the least useful end again and again", () => {
    fc.assert(
      fc.property(requests, ({ blocks, needBytes, nowMs, kept }) => {
        // Among equals either may go first.
        fc.pre(new Set(blocks.map(worthAt(nowMs))).size === blocks.length);
        const spared = keep(blocks, kept);
        expect(planStoreEviction(blocks, needBytes, nowMs, spared)).toEqual(
          naivePlan(blocks, needBytes, nowMs, spared),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("no block goes before one that stands on it, and none too many", () => {
    fc.assert(
      fc.property(requests, ({ blocks, needBytes, nowMs, kept }) => {
        const { evict, freedBytes } = planStoreEviction(blocks, needBytes, nowMs, keep(blocks, kept));
        const gone = new Set<string>();
        for (const key of evict) {
          gone.add(key);
          const standing = blocks.filter(({ parent }) => parent === key).map((block) => block.key);
          expect(standing.every((each) => gone.has(each))).toBe(true);
        }
        const last = blocks.find(({ key }) => key === evict.at(-1));
        expect(freedBytes - (last?.diskBytes ?? 0)).toBeLessThan(Math.max(1, needBytes));
      }),
    );
  });
});
