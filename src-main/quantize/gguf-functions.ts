/** The library's own reader and writer of GGUF headers, as gguf.h has them. */
import koffi, { type LibraryHandle } from "koffi";

/** An address in the library; to be freed. */
export type GgufContext = bigint;

export interface GgufFunctions {
  /** Reads a header; `null` for a file that has none. */
  open(path: string): GgufContext | null;
  empty(): GgufContext;
  copyKeys(to: GgufContext, from: GgufContext): void;
  setNumber(context: GgufContext, key: string, value: number): void;
  setText(context: GgufContext, key: string, value: string): void;
  removeKey(context: GgufContext, key: string): void;
  /** Bytes of the header, up to where the tensors begin. */
  headerBytes(context: GgufContext): number;
  alignment(context: GgufContext): number;
  /** Of an array of texts; `null` where there is none. */
  texts(context: GgufContext, key: string): readonly string[] | null;
  free(context: GgufContext): void;
}

const textType = 8;
const arrayType = 9;

export function ggufFunctions(base: LibraryHandle): GgufFunctions {
  koffi.struct("gguf_init_params", { no_alloc: "bool", ctx: "void *" });
  const open = base.func("void *gguf_init_from_file(const char *path, gguf_init_params params)") as (
    path: string,
    params: object,
  ) => GgufContext | null;
  return {
    open: (path) => open(path, { no_alloc: true, ctx: null }),
    empty: base.func("void *gguf_init_empty()") as GgufFunctions["empty"],
    copyKeys: base.func("void gguf_set_kv(void *to, void *from)") as GgufFunctions["copyKeys"],
    setNumber: base.func(
      "void gguf_set_val_u32(void *context, const char *key, uint32 value)",
    ) as GgufFunctions["setNumber"],
    setText: base.func(
      "void gguf_set_val_str(void *context, const char *key, const char *value)",
    ) as GgufFunctions["setText"],
    removeKey: base.func("int64 gguf_remove_key(void *context, const char *key)") as GgufFunctions["removeKey"],
    headerBytes: base.func("size_t gguf_get_meta_size(void *context)") as GgufFunctions["headerBytes"],
    alignment: base.func("size_t gguf_get_alignment(void *context)") as GgufFunctions["alignment"],
    texts: textsReader(base),
    free: base.func("void gguf_free(void *context)") as GgufFunctions["free"],
  };
}

function textsReader(base: LibraryHandle): GgufFunctions["texts"] {
  type OfKey = (context: GgufContext, key: number) => number;
  const find = base.func("int64 gguf_find_key(void *context, const char *key)") as (
    context: GgufContext,
    key: string,
  ) => number;
  const typeOf = base.func("int gguf_get_kv_type(void *context, int64 key)") as OfKey;
  const elementTypeOf = base.func("int gguf_get_arr_type(void *context, int64 key)") as OfKey;
  const lengthOf = base.func("size_t gguf_get_arr_n(void *context, int64 key)") as OfKey;
  const textAt = base.func("const char *gguf_get_arr_str(void *context, int64 key, size_t index)") as (
    context: GgufContext,
    key: number,
    index: number,
  ) => string;
  return (context, key) => {
    const id = find(context, key);
    if (id < 0 || typeOf(context, id) !== arrayType || elementTypeOf(context, id) !== textType) return null;
    return Array.from({ length: lengthOf(context, id) }, (_, index) => textAt(context, id, index));
  };
}
