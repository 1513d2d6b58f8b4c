import koffi from "koffi";
import { expect, test } from "vitest";
import { checkDefaults, paramsLayout, type QuantizeParams } from "../../../src-main/quantize/params-layout.ts";

/** The defaults as this release has them in memory, read by another layout. */
function defaultsReadAs(layout: Record<string, string>): QuantizeParams {
  const struct = koffi.struct(paramsLayout);
  const memory: unknown = koffi.alloc("uint8", 256);
  koffi.encode(memory, struct, {
    nthread: 0,
    ftype: 7,
    output_tensor_type: 43,
    token_embedding_type: 43,
    allow_requantize: false,
    quantize_output_tensor: true,
    only_copy: false,
    pure: false,
    keep_split: false,
    dry_run: false,
    imatrix: null,
    kv_overrides: null,
    tt_overrides: null,
    prune_layers: null,
    max_buf_size: 8 * 2 ** 30,
  });
  return koffi.decode(memory, koffi.struct(layout)) as QuantizeParams;
}

/** The layout with a member of a type before the one named. */
function layoutWith(type: string, before: keyof typeof paramsLayout): Record<string, string> {
  const members: [string, string][] = Object.entries(paramsLayout);
  const at = members.findIndex(([name]) => name === before);
  return Object.fromEntries(members.toSpliced(at, 0, ["added", type]));
}

test("the library's own defaults, read by the layout, are the known ones", () => {
  expect(() => {
    checkDefaults(defaultsReadAs(paramsLayout));
  }).not.toThrow();
});

test.each<[string, Record<string, string>]>([
  ["a number more at the start", layoutWith("int32", "nthread")],
  ["a number more among the types", layoutWith("int32", "token_embedding_type")],
  ["a switch more before the one that is on", layoutWith("bool", "allow_requantize")],
  ["a pointer more before the size", layoutWith("void *", "prune_layers")],
  ["wider numbers", { ...paramsLayout, nthread: "int64" }],
  ["a size of four bytes", { ...paramsLayout, max_buf_size: "uint32" }],
])("a library with another layout is refused: %s", (_, layout) => {
  expect(() => {
    checkDefaults(defaultsReadAs(layout));
  }).toThrow(
    expect.objectContaining({
      code: "QUANTIZE_FAILED",
      message: expect.stringMatching(/another release than this Reprise was made for.*Nothing was written/) as string,
    }),
  );
});

test("a release that knows more types is refused, since its levels may be others", () => {
  expect(() => {
    checkDefaults({ ...defaultsReadAs(paramsLayout), output_tensor_type: 44, token_embedding_type: 44 });
  }).toThrow("output_tensor_type, token_embedding_type");
});
