import fc from "fast-check";
import { expect, test } from "vitest";
import { CellLedger } from "../../../../src-main/engine/kv/cell-ledger.ts";
import { CellLedgerError } from "../../../../src-main/engine/kv/cell-ledger-error.ts";

const total = 24;
const sequenceCount = 5;

/** Every cell by itself, in lists. */
class NaiveCells {
  readonly held: object[][] = Array.from({ length: sequenceCount }, () => []);

  holdersOf(cell: object): number[] {
    return [...this.held.keys()].filter((sequence) => this.held[sequence]?.includes(cell) === true);
  }

  get cells(): object[] {
    return [...new Set(this.held.flat())];
  }

  count(predicate: (holders: readonly number[]) => boolean): number {
    return this.cells.filter((cell) => predicate(this.holdersOf(cell))).length;
  }

  get counts() {
    const used = this.cells.length;
    return {
      total,
      active: this.count((holders) => holders.includes(0)),
      parked: this.count((holders) => !holders.includes(0)),
      shared: this.count((holders) => holders.length > 1),
      free: total - used,
    };
  }
}

type Command =
  | { kind: "append"; sequence: number; count: number }
  | { kind: "share"; sequence: number; to: number; count: number }
  | { kind: "truncate"; sequence: number; count: number }
  | { kind: "release"; sequence: number };

const sequence = fc.nat({ max: sequenceCount - 1 });
const count = fc.nat({ max: 10 });
const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("append" as const), sequence, count }),
    fc.record({ kind: fc.constant("share" as const), sequence, to: sequence, count }),
    fc.record({ kind: fc.constant("truncate" as const), sequence, count }),
    fc.record({ kind: fc.constant("release" as const), sequence }),
  ),
  { maxLength: 40 },
);

/** Whether the cells allow it; if so, it is done. */
function doNaively({ held, cells }: NaiveCells, command: Command): boolean {
  const own = held[command.sequence] ?? [];
  switch (command.kind) {
    case "append":
      if (cells.length + command.count > total) return false;
      own.push(...Array.from({ length: command.count }, () => ({})));
      return true;
    case "share":
      if ((held[command.to]?.length ?? 0) > 0 || command.count > own.length) return false;
      held[command.to] = own.slice(0, command.count);
      return true;
    case "truncate":
      if (command.count > own.length) return false;
      own.length = command.count;
      return true;
    case "release":
      own.length = 0;
      return true;
  }
}

function allows(ledger: CellLedger, command: Command): boolean {
  switch (command.kind) {
    case "append":
      return ledger.canAppend(command.sequence, command.count);
    case "share":
      return ledger.canShare(command.sequence, command.to, command.count);
    case "truncate":
      return ledger.canTruncate(command.sequence, command.count);
    case "release":
      return true;
  }
}

function execute(ledger: CellLedger, command: Command): void {
  switch (command.kind) {
    case "append":
      ledger.append(command.sequence, command.count);
      return;
    case "share":
      ledger.share(command.sequence, command.to, command.count);
      return;
    case "truncate":
      ledger.truncate(command.sequence, command.count);
      return;
    case "release":
      ledger.release(command.sequence);
      return;
  }
}

/** Every cell's position and holders, lowest holder first: what runs() says, cell by cell. */
function cellsOf(naive: NaiveCells): string[] {
  return naive.held.flatMap((cells, holder) =>
    cells.flatMap((cell, position) => {
      const holders = naive.holdersOf(cell);
      return holders[0] === holder ? [`${position}: ${holders.join()}`] : [];
    }),
  );
}

test("whatever is done, the ledger says what a list of all cells says: none leaks, none is counted twice", () => {
  fc.assert(
    fc.property(commands, (sequenceOfCommands) => {
      const naive = new NaiveCells();
      let ledger = new CellLedger(total, sequenceCount);
      for (const command of sequenceOfCommands) {
        const isAllowed = doNaively(naive, command);
        expect(allows(ledger, command)).toBe(isAllowed);
        if (isAllowed) execute(ledger, command);
        else
          expect(() => {
            execute(ledger, command);
          }).toThrow(CellLedgerError);
        expect(ledger.counts).toEqual(naive.counts);
        ledger = ledger.clone();
      }
      const runs = ledger.runs();
      expect(
        runs.flatMap(({ firstPosition, cells, sequences }) =>
          Array.from({ length: cells }, (_, index) => `${firstPosition + index}: ${sequences.join()}`),
        ),
      ).toEqual(cellsOf(naive));
      for (const [holder, cells] of naive.held.entries()) {
        expect(ledger.lengthOf(holder)).toBe(cells.length);
      }
    }),
    { numRuns: 400 },
  );
});

test("runs are as long as they can be: no two behind each other have the same holders", () => {
  fc.assert(
    fc.property(commands, (sequenceOfCommands) => {
      const ledger = new CellLedger(total, sequenceCount);
      for (const command of sequenceOfCommands) if (allows(ledger, command)) execute(ledger, command);
      const runs = ledger.runs();
      const starts = new Set(runs.map(({ firstPosition, sequences }) => `${firstPosition}: ${sequences.join()}`));
      for (const { firstPosition, cells, sequences } of runs) {
        expect(starts).not.toContain(`${firstPosition + cells}: ${sequences.join()}`);
      }
    }),
    { numRuns: 300 },
  );
});
