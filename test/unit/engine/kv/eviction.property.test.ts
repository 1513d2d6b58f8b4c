import fc from "fast-check";
import { expect, test } from "vitest";
import { CellLedger } from "../../../../src-main/engine/kv/cell-ledger.ts";
import { planEviction, type ParkedSequence } from "../../../../src-main/engine/kv/eviction.ts";

const total = 60;

/** A ledger in which sequences took over each other's beginnings and grew, and who may go. */
const scene = fc
  .record({
    shares: fc.array(fc.record({ from: fc.nat({ max: 5 }), part: fc.double({ min: 0, max: 1, noNaN: true }) }), {
      minLength: 5,
      maxLength: 5,
    }),
    grows: fc.array(fc.nat({ max: 8 }), { minLength: 6, maxLength: 6 }),
    parked: fc.array(
      fc.record({
        use: fc.double({ min: 0, max: 10, noNaN: true }),
        lastUsedAtMs: fc.nat({ max: 5 }),
        isProtected: fc.constantFrom(false, false, true),
      }),
      { minLength: 5, maxLength: 5 },
    ),
    freeCells: fc.nat({ max: total }),
    maxParkedCells: fc.oneof(fc.constant(Infinity), fc.nat({ max: 40 })),
  })
  .map(({ shares, grows, parked, freeCells, maxParkedCells }) => {
    const ledger = new CellLedger(total);
    ledger.append(0, grows[0] ?? 0);
    for (const [index, { from, part }] of shares.entries()) {
      const source = Math.min(from, index);
      ledger.share(source, index + 1, Math.floor(part * ledger.lengthOf(source)));
      ledger.append(index + 1, grows[index + 1] ?? 0);
    }
    const sequences: ParkedSequence[] = parked.map((entry, index) => ({ ...entry, sequence: index + 1 }));
    return { ledger, sequences, goal: { freeCells, maxParkedCells } };
  });

function after(ledger: CellLedger, drop: readonly number[]) {
  const copy = ledger.clone();
  for (const sequence of drop) copy.release(sequence);
  return copy.counts;
}

test("what is dropped is enough, none of it needlessly, and nothing protected", () => {
  fc.assert(
    fc.property(scene, ({ ledger, sequences, goal }) => {
      const cells = { runs: ledger.runs(), free: ledger.counts.free };
      const { drop, isEnough } = planEviction(sequences, cells, goal);
      const isReached = (dropped: readonly number[]) => {
        const { free, parked } = after(ledger, dropped);
        return free >= goal.freeCells && parked <= goal.maxParkedCells;
      };
      const droppable = sequences.filter(({ isProtected }) => !isProtected).map(({ sequence }) => sequence);
      expect(droppable).toEqual(expect.arrayContaining([...drop]));
      expect(new Set(drop).size).toBe(drop.length);
      expect(isEnough).toBe(isReached(droppable));
      expect(isReached(drop)).toBe(isEnough);
      if (!isEnough) expect(after(ledger, drop).free).toBe(after(ledger, droppable).free);
      for (const sequence of drop) {
        const others = drop.filter((other) => other !== sequence);
        if (isEnough) expect(isReached(others)).toBe(false);
        else expect(after(ledger, others).free).toBeLessThan(after(ledger, drop).free);
      }
    }),
    { numRuns: 2_000 },
  );
});

test("the newest goes only where the others are not enough", () => {
  fc.assert(
    fc.property(scene, ({ ledger, sequences, goal }) => {
      const ordered = sequences.map((entry, index) => ({ ...entry, lastUsedAtMs: index }));
      const newest = ordered.findLast(({ isProtected }) => !isProtected)?.sequence;
      const cells = { runs: ledger.runs(), free: ledger.counts.free };
      if (newest === undefined || !planEviction(ordered, cells, goal).drop.includes(newest)) return;
      const withoutNewest = ordered.map((entry) => ({
        ...entry,
        isProtected: entry.isProtected || entry.sequence === newest,
      }));
      expect(planEviction(withoutNewest, cells, goal).isEnough).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});
