/**
 * llama.cpp's quantizer and what it takes to foresee its result, called by koffi in libraries that are already on this
 * machine. One for a process: the library's log has one listener.
 */
import koffi, { type LibraryHandle } from "koffi";
import { ggufFunctions, type GgufFunctions } from "./gguf-functions.ts";
import type { LibraryFiles } from "./library-files.ts";
import { checkDefaults, paramsLayout, type QuantizeParams } from "./params-layout.ts";

export interface TensorType {
  /** As ggml writes it: `q4_K`. */
  readonly name: string;
  readonly number: number;
  readonly blockElements: number;
  readonly blockBytes: number;
}

interface Outcome {
  readonly isDone: boolean;
  /** All that the library wrote meanwhile. */
  readonly log: string;
}

export interface LlamaLibrary {
  /** Quantizes on a thread of its own, so that messages still come and go. One at a time. */
  quantize(sourcePath: string, outputPath: string, params: Partial<QuantizeParams>): Promise<Outcome>;
  /** Importance weights by tensor, in the form in which `quantize` takes them as `imatrix`. */
  imatrixParameter(weights: ReadonlyMap<string, Float32Array>): unknown;
  readonly types: readonly TensorType[];
  readonly gguf: GgufFunctions;
}

/** Throws QUANTIZE_FAILED where it is not the release this was written for, and koffi's error where it does not load. */
export function openLlamaLibrary(files: LibraryFiles): LlamaLibrary {
  const llama = koffi.load(files.llama);
  const base = koffi.load(files.base);
  koffi.struct("llama_model_quantize_params", paramsLayout);
  const defaults = (
    llama.func("llama_model_quantize_params llama_model_quantize_default_params()") as () => QuantizeParams
  )();
  checkDefaults(defaults);
  const log = listenToLog(llama);
  const run = llama.func(
    "uint32 llama_model_quantize(const char *source, const char *output, const llama_model_quantize_params *params)",
  );
  (llama.func("void llama_backend_init()") as () => void)();
  /** The library reads it while it works, and nobody else may hold it by then. */
  const held = new Set<unknown>();
  return {
    quantize: async (sourcePath, outputPath, params) => {
      log.clear();
      held.add(params);
      const code = await new Promise<number>((resolve, reject) => {
        run.async(sourcePath, outputPath, { ...defaults, ...params }, (error: Error | null, result: number) => {
          if (error === null) resolve(result);
          else reject(error);
        });
      });
      held.delete(params);
      return { isDone: code === 0, log: log.text() };
    },
    imatrixParameter: (weights) => {
      held.add(weights);
      return imatrixParameter(weights);
    },
    types: tensorTypes(base, Number(defaults.output_tensor_type)),
    gguf: ggufFunctions(base),
  };
}

function listenToLog(llama: LibraryHandle): { readonly text: () => string; readonly clear: () => void } {
  koffi.proto("void reprise_log(int level, const char *text, void *data)");
  let text = "";
  const listener = koffi.register((_level: number, piece: string) => {
    text += piece;
  }, "reprise_log *");
  const setLog = llama.func("void llama_log_set(reprise_log *listener, void *data)") as (
    listener: bigint,
    data: null,
  ) => void;
  setLog(listener, null);
  return {
    text: () => text,
    clear: () => {
      text = "";
    },
  };
}

/** An array of `llama_model_imatrix_data`, ended by one without a name. */
function imatrixParameter(weights: ReadonlyMap<string, Float32Array>): unknown {
  const entry = koffi.struct({ name: "const char *", data: "void *", size: "size_t" });
  const bytes = koffi.sizeof(entry);
  const list: unknown = koffi.alloc("uint8", bytes * (weights.size + 1));
  const rows = [...weights].map(([name, data]) => ({ name, data, size: data.length }));
  for (const [index, row] of [...rows, { name: null, data: null, size: 0 }].entries()) {
    koffi.encode(list, index * bytes, entry, row);
  }
  return list;
}

function tensorTypes(base: LibraryHandle, count: number): TensorType[] {
  const nameOf = base.func("const char *ggml_type_name(int type)") as (type: number) => string;
  const elementsOf = base.func("int64 ggml_blck_size(int type)") as (type: number) => number;
  const bytesOf = base.func("size_t ggml_type_size(int type)") as (type: number) => number;
  return Array.from({ length: count }, (_, number) => ({
    name: nameOf(number),
    number,
    blockElements: elementsOf(number),
    blockBytes: bytesOf(number),
  })).filter(({ blockBytes }) => blockBytes > 0);
}
