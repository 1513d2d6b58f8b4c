import { describe, expect, test } from "vitest";
import { CellLedger } from "../../../../src-main/engine/kv/cell-ledger.ts";
import { planEviction, type ParkedSequence } from "../../../../src-main/engine/kv/eviction.ts";

const parked = (sequence: number, use: number, lastUsedAtMs = 0): ParkedSequence => ({
  sequence,
  use,
  lastUsedAtMs,
  isProtected: false,
});
const stateOf = (ledger: CellLedger) => ({ runs: ledger.runs(), free: ledger.counts.free });
const room = (freeCells: number) => ({ freeCells, maxParkedCells: Infinity });

/** 100 cells; sequences 1, 2, 3 hold 10, 20 and 30 of their own. */
function separate(): CellLedger {
  const ledger = new CellLedger(100);
  for (const sequence of [1, 2, 3]) ledger.append(sequence, sequence * 10);
  return ledger;
}

test("nothing goes while there is room", () => {
  expect(planEviction([parked(1, 1)], stateOf(separate()), room(40))).toEqual({ drop: [], isEnough: true });
});

test("the least use for each cell goes first", () => {
  const sequences = [parked(1, 1, 3), parked(2, 1, 2), parked(3, 1, 1)];
  expect(planEviction(sequences, stateOf(separate()), room(50)).drop).toEqual([3]);
  expect(planEviction(sequences.with(2, parked(3, 9, 1)), stateOf(separate()), room(50)).drop).toEqual([2]);
});

test("the newest goes last, however little it was used", () => {
  const sequences = [parked(1, 9, 1), parked(2, 9, 2), parked(3, 0.1, 3)];
  expect(planEviction(sequences, stateOf(separate()), room(70)).drop).toEqual([2, 1]);
  expect(planEviction(sequences, stateOf(separate()), room(71)).drop).toEqual([2, 3]);
});

test("what is protected stays, and it is said when that is not enough", () => {
  const sequences = [parked(1, 1), { ...parked(2, 0), isProtected: true }];
  expect(planEviction(sequences, stateOf(separate()), room(100))).toEqual({ drop: [1], isEnough: false });
});

describe("sequences that share cells", () => {
  /** 2 goes on from all of 1, and 3 from half of 1. */
  function branches(): CellLedger {
    const ledger = new CellLedger(100);
    ledger.append(1, 40);
    ledger.share(1, 2);
    ledger.append(2, 10);
    ledger.share(1, 3, 20);
    ledger.append(3, 15);
    return ledger;
  }

  test("the one that goes on from another goes before it", () => {
    const sequences = [parked(1, 0, 1), parked(2, 5, 2), parked(3, 9, 3)];
    expect(planEviction(sequences, stateOf(branches()), room(45)).drop).toEqual([2]);
    expect(planEviction(sequences, stateOf(branches()), room(50)).drop).toEqual([2, 1]);
  });

  test("cells of the active sequence are not parked, and do not get free", () => {
    const ledger = branches();
    ledger.share(3, 0);
    const sequences = [parked(1, 1, 1), parked(2, 1, 2), parked(3, 1, 3)];
    const goal = { freeCells: 0, maxParkedCells: 20 };
    expect(planEviction(sequences, stateOf(ledger), goal)).toEqual({ drop: [2], isEnough: true });
    expect(planEviction(sequences, stateOf(ledger), room(66))).toEqual({ drop: [2, 1], isEnough: false });
  });
});

test("keeps parked cells within what they may be", () => {
  const sequences = [parked(1, 1, 1), parked(2, 1, 2), parked(3, 1, 3)];
  const goal = { freeCells: 0, maxParkedCells: 40 };
  expect(planEviction(sequences, stateOf(separate()), goal)).toEqual({ drop: [2], isEnough: true });
});
