import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StateFile } from "../../../../src-main/engine/kv/read-state-file.ts";
import type { RowLayout } from "../../../../src-main/engine/kv/row-layout.ts";
import { StateFileError } from "../../../../src-main/engine/kv/state-format.ts";
import { StateFileWriter, type StateFileOptions } from "../../../../src-main/engine/kv/write-state-file.ts";
import {
  blockRows,
  range,
  smallLayout,
  stateFileBytes,
  type StateFileContent,
} from "../../../helpers/state-file-bytes.ts";
import { temporaryFolder } from "../../../helpers/temporary-folder.ts";

function write(folder: string, bytes: Buffer): string {
  const path = join(folder, "state");
  writeFileSync(path, bytes);
  return path;
}

function cut(content: StateFileContent, ranges: readonly { from: number; to: number }[]): Buffer[] {
  using file = new StateFile(write(temporaryFolder(), stateFileBytes(content)));
  return file.cut(ranges);
}

/** The reason of the StateFileError that this throws. */
function problem(work: () => unknown): string {
  try {
    work();
  } catch (caught) {
    if (caught instanceof StateFileError) return caught.reason;
    throw caught;
  }
  return "none";
}

describe.each([false, true])("with values by column: %s", (valuesByColumn) => {
  const content = { layout: smallLayout, valuesByColumn, positions: range(0, 10) };

  test("a file says which positions it holds, and what a row is", () => {
    using file = new StateFile(write(temporaryFolder(), stateFileBytes({ ...content, positions: range(3, 10) })));
    expect(file).toMatchObject({ from: 3, to: 10, valuesByColumn, layout: smallLayout });
  });

  test("is cut into the rows of its tokens", () => {
    expect(
      cut(content, [
        { from: 0, to: 4 },
        { from: 4, to: 10 },
      ]),
    ).toEqual([blockRows(smallLayout, 0, 4), blockRows(smallLayout, 4, 10)]);
  });

  test("is cut wherever it begins", () => {
    const ranges = [{ from: 260, to: 262 }];
    expect(cut({ ...content, positions: range(256, 266) }, ranges)).toEqual([blockRows(smallLayout, 260, 262)]);
  });

  test("is cut by position, in whatever cells the positions lie", () => {
    const positions = [7, 8, 9, 0, 1, 5, 6, 4, 3, 2];
    expect(cut({ ...content, positions }, [{ from: 1, to: 8 }])).toEqual([blockRows(smallLayout, 1, 8)]);
  });

  test("reads what was saved from a hidden sequence id, whose cells name no sequence", () => {
    const saved = { ...content, sequenceIds: 0 } as const;
    expect(cut(saved, [{ from: 0, to: 10 }])).toEqual([blockRows(smallLayout, 0, 10)]);
  });

  test("is put together again from blocks, the last one in part", () => {
    const path = join(temporaryFolder(), "joined");
    {
      using writer = new StateFileWriter(path, { layout: smallLayout, valuesByColumn, from: 0, tokenCount: 7 });
      writer.add(blockRows(smallLayout, 0, 4), 4);
      writer.add(blockRows(smallLayout, 4, 10), 6, 3);
      expect(writer.finish()).toBe(statSync(path).size);
    }
    expect(readFileSync(path)).toEqual(stateFileBytes({ ...content, positions: range(0, 7) }));
  });

  test("carries what cells hold beside their position", () => {
    const layout: RowLayout = { ...smallLayout, extensionBytes: 12 };
    const extended = { ...content, layout, positions: [2, 3, 0, 1] };
    const [first, second] = cut(extended, [
      { from: 0, to: 2 },
      { from: 2, to: 4 },
    ]);
    expect(first).toEqual(blockRows(layout, 0, 2));
    const path = join(temporaryFolder(), "joined");
    {
      using writer = new StateFileWriter(path, { layout, valuesByColumn, from: 0, tokenCount: 3 });
      writer.add(first ?? Buffer.alloc(0), 2);
      writer.add(second ?? Buffer.alloc(0), 2, 1);
      writer.finish();
    }
    expect(readFileSync(path)).toEqual(stateFileBytes({ ...extended, positions: range(0, 3) }));
  });
});

test("blocks cut from a file of either layout of values make a file of the other", () => {
  const content = { layout: smallLayout, positions: range(0, 70) };
  const blocks = cut({ ...content, valuesByColumn: true }, [{ from: 0, to: 70 }]);
  const path = join(temporaryFolder(), "joined");
  {
    using writer = new StateFileWriter(path, { layout: smallLayout, valuesByColumn: false, from: 0, tokenCount: 70 });
    writer.add(blocks[0] ?? Buffer.alloc(0), 70);
    writer.finish();
  }
  expect(readFileSync(path)).toEqual(stateFileBytes({ ...content, valuesByColumn: false }));
});

test("a model without values of its own has blocks of keys alone", () => {
  const layout = { ...smallLayout, values: [] };
  expect(cut({ layout, valuesByColumn: false, positions: range(0, 3) }, [{ from: 1, to: 3 }])).toEqual([
    blockRows(layout, 1, 3),
  ]);
});

const evenBytes = fc.integer({ min: 1, max: 20 }).map((half) => half * 2);

const contents: fc.Arbitrary<StateFileContent & { blockTokens: number; lastTokens: number }> = fc
  .record({
    extensionBytes: fc.constantFrom(0 as const, 12 as const),
    layers: fc.array(fc.record({ key: evenBytes, value: evenBytes, isWide: fc.boolean() }), {
      minLength: 1,
      maxLength: 3,
    }),
    valuesByColumn: fc.boolean(),
    from: fc.integer({ min: 0, max: 600 }),
    order: fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 90 }),
    sequenceIds: fc.constantFrom(0 as const, 1 as const),
    blockTokens: fc.integer({ min: 1, max: 40 }),
    lastTokens: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ extensionBytes, layers, from, order, ...rest }) => {
    const keys = layers.map(({ key }) => ({ type: 8, rowBytes: key }));
    const values = layers.map(({ value, isWide }) =>
      isWide ? { type: 0, rowBytes: value * 2 } : { type: 30, rowBytes: value },
    );
    // Cells in runs, as they are when parts were freed and filled again.
    const positions = order.map((rank, index) => ({ rank, position: from + index }));
    positions.sort((a, b) => a.rank - b.rank);
    const layout: RowLayout = { extensionBytes, keys, values };
    return { ...rest, layout, positions: positions.map(({ position }) => position) };
  });

test("any state, cut anywhere and put together up to any token, is that state up to there", () => {
  const folder = temporaryFolder();
  let count = 0;
  fc.assert(
    fc.property(contents, ({ blockTokens, lastTokens, ...content }) => {
      const from = Math.min(...content.positions);
      const to = from + content.positions.length;
      using file = new StateFile(write(folder, stateFileBytes(content)));
      const ranges = range(0, Math.ceil((to - from) / blockTokens)).map((index) => ({
        from: from + index * blockTokens,
        to: Math.min(to, from + (index + 1) * blockTokens),
      }));
      const blocks = file.cut(ranges);
      const end = Math.max(from + 1, to - lastTokens);
      count += 1;
      const path = join(folder, `joined ${count}`);
      const options = { layout: file.layout, valuesByColumn: content.valuesByColumn, from, tokenCount: end - from };
      using writer = new StateFileWriter(path, options);
      for (const [index, block] of ranges.entries()) {
        const used = Math.min(block.to, end) - block.from;
        if (used > 0) writer.add(blocks[index] ?? Buffer.alloc(0), block.to - block.from, used);
      }
      writer.finish();
      const expected = stateFileBytes({ ...content, positions: range(from, end), sequenceIds: 1 });
      expect(readFileSync(path).equals(expected)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

describe("a file is refused", () => {
  const whole = stateFileBytes({ layout: smallLayout, valuesByColumn: false, positions: range(0, 10) });

  function refusal(change: (bytes: Buffer) => Buffer): string {
    const path = write(temporaryFolder(), change(Buffer.from(whole)));
    return problem(() => {
      new StateFile(path)[Symbol.dispose]();
    });
  }

  function with32(value: number, at: number): (bytes: Buffer) => Buffer {
    return (bytes) => {
      bytes.writeUInt32LE(value, at);
      return bytes;
    };
  }

  test.each<[string, string, (bytes: Buffer) => Buffer]>([
    ["with another beginning", "malformed", with32(1, 0)],
    ["of another version", "malformed", with32(4, 4)],
    ["with a token count beyond its end", "malformed", with32(0xffff_ffff, 8)],
    ["with several streams", "not-by-token", with32(2, 12)],
    ["without cells", "empty", with32(0, 16)],
    ["with a cell count beyond its end", "malformed", with32(0xffff_ffff, 16)],
    ["with one cell too many", "malformed", with32(11, 16)],
    ["with one cell too few", "malformed", with32(9, 16)],
    ["with a position that is there twice", "positions", with32(4, 20 + 12 * 5)],
    ["with a position that is missing", "positions", with32(11, 20 + 12 * 9)],
    ["with a negative position", "positions", with32(0xffff_ffff, 20)],
    ["with a cell of several sequences", "malformed", with32(2, 24)],
    ["with cells that differ in that", "malformed", with32(0, 24 + 12 * 3)],
    ["with an unknown layout of values", "malformed", with32(2, 140)],
    ["with no layers", "malformed", with32(0, 144)],
    ["with absurdly many layers", "malformed", with32(0x7fff_ffff, 144)],
    ["with rows of no bytes", "malformed", with32(0, 152)],
    ["with rows beyond its end", "malformed", with32(0x0fff_ffff, 152)],
    ["cut short", "malformed", (bytes) => bytes.subarray(0, -1)],
    ["with more behind it", "not-by-token", (bytes) => Buffer.concat([bytes, Buffer.alloc(40)])],
    ["of no bytes", "malformed", () => Buffer.alloc(0)],
  ])("%s", (_, reason, change) => {
    expect(refusal(change)).toBe(reason);
  });

  test("with elements of another size than their type has", () => {
    const columns = stateFileBytes({ layout: smallLayout, valuesByColumn: true, positions: range(0, 4) });
    const at = columns.lastIndexOf(Buffer.from(Uint32Array.of(0, 4, 2).buffer)) + 4;
    columns.writeUInt32LE(8, at);
    expect(problem(() => new StateFile(write(temporaryFolder(), columns)))).toBe("malformed");
  });

  test("at any place it ends early", () => {
    for (let length = 0; length < whole.length; length += 13) {
      expect(refusal((bytes) => bytes.subarray(0, length))).not.toBe("none");
    }
  });
});

test("positions that a file does not hold cannot be cut from it", () => {
  const content = { layout: smallLayout, valuesByColumn: false, positions: range(5, 10) };
  for (const range of [
    { from: 4, to: 6 },
    { from: 8, to: 11 },
    { from: 7, to: 7 },
  ]) {
    expect(problem(() => cut(content, [range]))).toBe("positions");
  }
});

describe("a file is not made", () => {
  function start(options: Partial<StateFileOptions> = {}): StateFileWriter {
    const path = join(temporaryFolder(), "joined");
    return new StateFileWriter(path, { layout: smallLayout, valuesByColumn: true, from: 0, tokenCount: 4, ...options });
  }

  test("of blocks with another size than their tokens take", () => {
    using writer = start();
    expect(
      problem(() => {
        writer.add(blockRows(smallLayout, 0, 3), 4);
      }),
    ).toBe("blocks");
  });

  test("of more tokens than announced", () => {
    using writer = start();
    writer.add(blockRows(smallLayout, 0, 3), 3);
    expect(
      problem(() => {
        writer.add(blockRows(smallLayout, 3, 6), 3);
      }),
    ).toBe("blocks");
  });

  test("of fewer tokens than announced", () => {
    using writer = start();
    writer.add(blockRows(smallLayout, 0, 3), 3);
    expect(problem(() => writer.finish())).toBe("blocks");
  });

  test("with quantized values by column, which llama.cpp does not have", () => {
    const layout = { ...smallLayout, values: [{ type: 8, rowBytes: 34 }] };
    expect(problem(() => start({ layout }))).toBe("blocks");
  });
});
