import { describe, expect, test } from "vitest";
import { CellLedger } from "../../../../src-main/engine/kv/cell-ledger.ts";
import { CellLedgerError } from "../../../../src-main/engine/kv/cell-ledger-error.ts";

function faultOf(work: () => void) {
  try {
    work();
  } catch (caught) {
    if (caught instanceof CellLedgerError) return caught.fault;
    throw caught;
  }
  return null;
}

describe("counts", () => {
  test("an empty ledger has all cells free", () => {
    expect(new CellLedger(100).counts).toEqual({ total: 100, active: 0, parked: 0, shared: 0, free: 100 });
  });

  test("a parked sequence costs nothing while it shares all its cells with the active one", () => {
    const ledger = new CellLedger(100);
    ledger.append(0, 40);
    ledger.share(0, 7);
    expect(ledger.counts).toEqual({ total: 100, active: 40, parked: 0, shared: 40, free: 60 });
  });

  test("what the active sequence leaves stays for the one that still holds it", () => {
    const ledger = new CellLedger(100);
    ledger.append(0, 40);
    ledger.share(0, 7);
    ledger.truncate(0, 30);
    ledger.append(0, 5);
    expect(ledger.counts).toEqual({ total: 100, active: 35, parked: 10, shared: 30, free: 55 });
    expect([ledger.lengthOf(0), ledger.lengthOf(7)]).toEqual([35, 40]);
  });

  test("cells are free when the last of their sequences lets go", () => {
    const ledger = new CellLedger(100);
    ledger.append(0, 40);
    ledger.share(0, 7, 25);
    ledger.release(0);
    expect(ledger.counts).toEqual({ total: 100, active: 0, parked: 25, shared: 0, free: 75 });
    ledger.release(7);
    expect(ledger.counts.free).toBe(100);
  });
});

describe("runs", () => {
  test("show by whom the cells are held, in order", () => {
    const ledger = new CellLedger(100);
    ledger.append(0, 40);
    ledger.share(0, 7);
    ledger.share(0, 3, 10);
    ledger.truncate(0, 30);
    ledger.append(0, 5);
    expect(ledger.runs()).toEqual([
      { firstPosition: 0, cells: 10, sequences: [0, 3, 7] },
      { firstPosition: 10, cells: 20, sequences: [0, 7] },
      { firstPosition: 30, cells: 5, sequences: [0] },
      { firstPosition: 30, cells: 10, sequences: [7] },
    ]);
  });

  test("join again when the difference is gone", () => {
    const ledger = new CellLedger(100);
    ledger.append(0, 40);
    ledger.share(0, 7, 10);
    ledger.share(0, 8, 20);
    ledger.release(7);
    ledger.release(8);
    expect(ledger.runs()).toEqual([{ firstPosition: 0, cells: 40, sequences: [0] }]);
  });
});

describe("what would make the ledger wrong is refused, and changes nothing", () => {
  const filled = () => {
    const ledger = new CellLedger(10, 4);
    ledger.append(0, 6);
    ledger.append(1, 2);
    return ledger;
  };

  test.each([
    [
      "more cells than are free",
      (ledger: CellLedger) => {
        ledger.append(0, 3);
      },
      "no-room",
    ],
    [
      "an id that does not exist",
      (ledger: CellLedger) => {
        ledger.append(4, 1);
      },
      "no-such-sequence",
    ],
    [
      "half a cell",
      (ledger: CellLedger) => {
        ledger.append(0, 0.5);
      },
      "invalid-count",
    ],
    [
      "taking over into cells that are held",
      (ledger: CellLedger) => {
        ledger.share(0, 1);
      },
      "occupied",
    ],
    [
      "a sequence taking over itself",
      (ledger: CellLedger) => {
        ledger.share(0, 0);
      },
      "occupied",
    ],
    [
      "taking over more than there is",
      (ledger: CellLedger) => {
        ledger.share(0, 2, 7);
      },
      "too-short",
    ],
    [
      "truncating to more than there is",
      (ledger: CellLedger) => {
        ledger.truncate(1, 3);
      },
      "too-short",
    ],
    [
      "truncating to less than nothing",
      (ledger: CellLedger) => {
        ledger.truncate(1, -1);
      },
      "invalid-count",
    ],
  ] as const)("%s", (_, work, fault) => {
    const ledger = filled();
    expect(
      faultOf(() => {
        work(ledger);
      }),
    ).toBe(fault);
    expect(ledger.runs()).toEqual(filled().runs());
    expect(ledger.counts).toEqual(filled().counts);
  });
});

test("the lowest id that holds nothing is the next to park under", () => {
  const ledger = new CellLedger(10, 3);
  ledger.append(1, 1);
  expect(ledger.unusedSequence).toBe(2);
  ledger.append(2, 1);
  expect(ledger.unusedSequence).toBeNull();
  ledger.release(1);
  expect(ledger.unusedSequence).toBe(1);
});

test("a clone goes its own way", () => {
  const ledger = new CellLedger(20);
  ledger.append(0, 6);
  ledger.share(0, 1, 4);
  const clone = ledger.clone();
  clone.release(0);
  clone.append(1, 3);
  expect(ledger.counts).toEqual({ total: 20, active: 6, parked: 0, shared: 4, free: 14 });
  expect(clone.counts).toEqual({ total: 20, active: 0, parked: 7, shared: 0, free: 13 });
});
