import { expect, test } from "vitest";
import { kvLayout } from "../../../../src-main/engine/llama/kv-layout.ts";
import { memoryReport } from "../../../../src-main/engine/llama/memory-report.ts";

const block = (mebibytes: string, cells: number, layers: number) =>
  `llama_kv_cache: size =   ${mebibytes} MiB (  ${cells} cells,  ${layers} layers,  1/1 seqs), K (f16):   1.00 MiB`;

test("a block of all layers is exact by the layers' own rows", () => {
  const rows = Array.from({ length: 30 }, () => 768);
  const { full, sliding } = kvLayout([block("45.00", 2_048, 30)], rows);
  expect(full).toEqual({ cells: 2_048, bytes: 2_048 * 30 * 768 });
  expect(sliding).toBeNull();
});

test("layers with a window have a block of their own", () => {
  const lines = [
    "llama_kv_cache_iswa: creating non-SWA KV cache, size = 2048 cells",
    block("1.00", 2_048, 2),
    "llama_kv_cache_iswa: creating     SWA KV cache, size = 512 cells",
    block("0.25", 512, 2),
  ];
  expect(kvLayout(lines, [256, 256, 256, 256])).toEqual({
    full: { cells: 2_048, bytes: 1 << 20 },
    sliding: { cells: 512, bytes: 1 << 18 },
    recurrentBytes: 0,
  });
});

test("a model whose layers all have a window has no full block", () => {
  const lines = [block("0.00", 2_048, 0), "creating     SWA KV cache, size = 512 cells", block("0.25", 512, 4)];
  expect(kvLayout(lines, [128, 128, 128, 128])).toMatchObject({ full: null, sliding: { bytes: 1 << 18 } });
});

test("where the rows do not explain the size, the reported size counts", () => {
  expect(kvLayout([block("12.50", 1_024, 4)], [64, 64, 64, 64]).full?.bytes).toBe(12.5 * (1 << 20));
  expect(kvLayout([block("12.50", 1_024, 4)], null).full?.bytes).toBe(12.5 * (1 << 20));
});

test("layers without attention have no rows; their state is counted apart", () => {
  const lines = [block("0.50", 1_024, 1), "llama_memory_recurrent:        CPU RS buffer size =     2.25 MiB"];
  expect(kvLayout(lines, [0, 512, 0])).toEqual({
    full: { cells: 1_024, bytes: 512 * 1_024 },
    sliding: null,
    recurrentBytes: 2.25 * (1 << 20),
  });
});

test("nothing in the log is nothing claimed", () => {
  expect(kvLayout([], [64])).toEqual({ full: null, sliding: null, recurrentBytes: 0 });
});

test("the report of a model that only carries a state: it is there whole as soon as there is a token", () => {
  const use = {
    layout: { full: null, sliding: null, recurrentBytes: 5_000 },
    cells: { total: 1_000, active: 500, parked: 0, shared: 0, free: 500 },
    store: null,
    firstPosition: 499,
    addedTokens: 10,
    weightsBytes: 1,
    contextBytes: 7_000,
    residentBytes: 2,
    otherModels: [{ name: "Other", level: "Q8_0", bytes: 3 }],
  };
  const figures = { kvAllocated: 5_000, kvThisTurn: 0, kvBytesPerToken: 0, kvShared: 0, kvParked: 0 };
  expect(memoryReport(use)).toMatchObject({ ...figures, kvLive: 5_000, computeBuffers: 2_000 });
  const empty = { ...use, cells: { ...use.cells, active: 0, free: 1_000 }, firstPosition: null };
  expect(memoryReport(empty)).toMatchObject({ ...figures, kvLive: 0 });
});

test("the report: rows of a window only for what the window still holds", () => {
  const layout = {
    full: { cells: 1_000, bytes: 100_000 },
    sliding: { cells: 300, bytes: 6_000 },
    recurrentBytes: 0,
  };
  const report = memoryReport({
    layout,
    cells: { total: 1_000, active: 500, parked: 30, shared: 20, free: 470 },
    store: null,
    firstPosition: 400,
    addedTokens: 10,
    weightsBytes: 1,
    contextBytes: 150_000,
    residentBytes: 2,
    otherModels: [{ name: "Other", level: "Q8_0", bytes: 3 }],
  });
  expect(report).toEqual({
    weights: 1,
    kvAllocated: 106_000,
    kvLive: 530 * 100 + 100 * 20,
    kvThisTurn: 10 * 120,
    kvBytesPerToken: 120,
    kvShared: 20 * 100,
    kvParked: 30 * 100,
    store: null,
    computeBuffers: 44_000,
    otherModels: [{ name: "Other", level: "Q8_0", bytes: 3 }],
    processResident: 2,
  });
});
