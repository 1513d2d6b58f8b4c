/**
 * Calls llama.cpp's quantizer with nothing of ours between: what it writes is what our files are compared with.
 * `direct-quantize.ts <source> <output> <llama_ftype>`
 */
import { dirname, join } from "node:path";
import { createRequire } from "node:module";
import { readdirSync } from "node:fs";
import koffi from "koffi";

const [source, output, fileType] = process.argv.slice(2);
const require = createRequire(createRequire(import.meta.url).resolve("node-llama-cpp"));
const names: Readonly<Record<string, string>> = {
  "darwin-arm64": "mac-arm64-metal",
  "darwin-x64": "mac-x64",
  "win32-x64": "win-x64",
};
const name = names[`${process.platform}-${process.arch}`] ?? `${process.platform}-${process.arch}`;
const folder = join(dirname(dirname(require.resolve(`@node-llama-cpp/${name}`))), "bins", name);
const file = readdirSync(folder).find((each) => /^(lib)?llama\.(v|so|dylib|dll)/.test(each));
const library = koffi.load(join(folder, String(file)));
koffi.struct("Params", {
  threads: "int32",
  fileType: "int32",
  rest: koffi.array("uint8", 56),
});
const params = (library.func("Params llama_model_quantize_default_params()") as () => object)();
const quantize = library.func(
  "uint32 llama_model_quantize(const char *source, const char *output, const Params *params)",
) as (source: string | undefined, output: string | undefined, params: object) => number;
process.exit(quantize(source, output, { ...params, threads: 1, fileType: Number(fileType) }));
