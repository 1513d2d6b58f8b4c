import { describe, expect, test } from "vitest";
import { quantizesAgain, readDryRun } from "../../../src-main/quantize/dry-run-log.ts";

const lines = [
  "llama_model_loader: - type  f16:   16 tensors",
  "warning: blk.0.attn_q.weight - ncols    576 not divisible by 256 (required for type    q4_K) -> falling back to    q5_0",
  "[   1/   3] output.weight                        - [   256,    593,      1,      1], type =    f16, size =     0.29 MiB ->     0.12 MiB (q6_K)",
  "[   2/   3] output_norm.weight                   - [   256,      1,      1,      1], type =    f32, size =    0.001 MiB",
  "[   3/   3] blk.0.ffn_gate_exps.weight           - [  2048,    768,    128,      1], type =   bf16, size =   384.00 MiB ->   102.00 MiB (mxfp4)",
  "llama_model_quantize_impl: model size  =     2.83 MiB (16.01 BPW)",
];
const log = (changed = lines) => changed.join("\n");

describe("the log of a dry run", () => {
  test("tells of each tensor what it is and what it would be", () => {
    expect(readDryRun(log())).toEqual({
      needsImatrix: false,
      tensors: [
        { name: "output.weight", shape: [256, 593, 1, 1], sourceType: "f16", targetType: "q6_K" },
        { name: "output_norm.weight", shape: [256, 1, 1, 1], sourceType: "f32", targetType: "f32" },
        { name: "blk.0.ffn_gate_exps.weight", shape: [2048, 768, 128, 1], sourceType: "bf16", targetType: "mxfp4" },
      ],
    });
  });

  test("tells whether it cannot be made without an importance matrix", () => {
    const warning =
      "f: WARNING: dry run completed successfully, but actually completing this quantization will require an imatrix!";
    expect(readDryRun(log([...lines, warning]))?.needsImatrix).toBe(true);
  });

  test.each([
    ["a tensor is missing", lines.filter((line) => !line.includes("[   2/"))],
    ["the last ones are missing", lines.slice(0, 4)],
    ["there are none", []],
    ["sizes are told otherwise", lines.map((line) => line.replaceAll("MiB", "MB"))],
  ])("is not believed where %s", (_, changed) => {
    expect(readDryRun(log(changed))).toBeNull();
  });
});

describe("weights are quantized again", () => {
  const tensor = (sourceType: string, targetType: string) => ({
    name: "a.weight",
    shape: [256],
    sourceType,
    targetType,
  });

  test.each(["f32", "f16", "bf16", "q8_0"])("not from %s", (type) => {
    expect(quantizesAgain([tensor(type, "q4_K")])).toBe(false);
  });

  test.each(["q6_K", "q4_1", "iq2_xs", "mxfp4"])("from %s, unless they stay as they are", (type) => {
    expect(quantizesAgain([tensor("f16", "q4_K"), tensor(type, "q4_K")])).toBe(true);
    expect(quantizesAgain([tensor("f16", "q4_K"), tensor(type, type)])).toBe(false);
  });
});
