/**
 * `llama_model_quantize_params` as this release of llama.cpp has it. A release that changed it must be noticed before
 * anything is written by it: the library's own defaults, read by this layout, have to be the ones that are known.
 */
import { RepriseError } from "../contract/errors.ts";

/** Member by member, as koffi writes C types. */
export const paramsLayout = {
  nthread: "int32",
  ftype: "int32",
  output_tensor_type: "int32",
  token_embedding_type: "int32",
  allow_requantize: "bool",
  quantize_output_tensor: "bool",
  only_copy: "bool",
  pure: "bool",
  keep_split: "bool",
  dry_run: "bool",
  imatrix: "void *",
  kv_overrides: "void *",
  tt_overrides: "void *",
  prune_layers: "void *",
  max_buf_size: "size_t",
} as const;

export type QuantizeParams = Record<keyof typeof paramsLayout, unknown>;

/** Type numbers end here in this release; as a tensor's type it means "what the level says". */
const typeCount = 43;

const knownDefaults: QuantizeParams = {
  nthread: 0,
  ftype: 7,
  output_tensor_type: typeCount,
  token_embedding_type: typeCount,
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
};

/** Throws QUANTIZE_FAILED where the library's defaults are not those of the layout above. */
export function checkDefaults(defaults: QuantizeParams): void {
  const names = Object.keys(paramsLayout) as (keyof QuantizeParams)[];
  const other = names.filter((name) => comparable(defaults[name]) !== knownDefaults[name]);
  if (other.length === 0) return;
  const reason = `the engine's library is another release than this Reprise was made for (${other.join(", ")})`;
  const sentence = `Nothing was quantized, because ${reason}. Nothing was written. Install Reprise again.`;
  throw new RepriseError("QUANTIZE_FAILED", sentence, { reason });
}

/** A size arrives as a bigint where it is large. */
function comparable(value: unknown): unknown {
  return typeof value === "bigint" ? Number(value) : value;
}
