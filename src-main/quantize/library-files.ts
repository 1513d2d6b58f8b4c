/**
 * Where llama.cpp's own libraries lie: in the package of prebuilt binaries that node-llama-cpp installs for this
 * platform. Quantizing is done by the processor, so it is the package without a graphics card wherever there is one.
 */
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

export interface LibraryFiles {
  /** The model code, with the quantizer. */
  readonly llama: string;
  /** Tensor types and the GGUF format. */
  readonly base: string;
}

const packages: Readonly<Record<string, string>> = {
  "linux-x64": "linux-x64",
  "linux-arm64": "linux-arm64",
  "linux-arm": "linux-armv7l",
  "linux-riscv64": "linux-riscv64",
  "darwin-arm64": "mac-arm64-metal",
  "darwin-x64": "mac-x64",
  "win32-x64": "win-x64",
  "win32-arm64": "win-arm64",
};

/** Folder and package have the same name; `null` for a platform that has no binaries. */
export function binariesName(platform: string, architecture: string): string | null {
  return packages[`${platform}-${architecture}`] ?? null;
}

/** Names carry the release: `libllama.v0.5.0.so`, `llama.v0.5.0.dll`. `null` where one is not there. */
export function pickLibraries(names: readonly string[]): LibraryFiles | null {
  const llama = names.find((name) => /^(lib)?llama(\.v[\d.]*\d)?\.(so|dylib|dll)$/.test(name));
  const base = names.find((name) => /^(lib)?ggml-base(\.v[\d.]*\d)?\.(so|dylib|dll)$/.test(name));
  return llama === undefined || base === undefined ? null : { llama, base };
}

/** Throws an Error that says what is missing. */
export function findLibraries(platform: string = process.platform, architecture: string = process.arch): LibraryFiles {
  const name = binariesName(platform, architecture);
  if (name === null) throw new Error(`there are no libraries for ${platform} on ${architecture}`);
  const folder = outsideArchive(binariesFolder(name));
  const files = pickLibraries(readdirSync(folder));
  if (files === null) throw new Error(`${folder} has no llama.cpp in it`);
  return { llama: join(folder, files.llama), base: join(folder, files.base) };
}

/** As node-llama-cpp sees it, whose dependency it is. */
function binariesFolder(name: string): string {
  const library = createRequire(createRequire(import.meta.url).resolve("node-llama-cpp"));
  return join(dirname(dirname(library.resolve(`@node-llama-cpp/${name}`))), "bins", name);
}

/** In a packaged app the system can load only what lies unpacked beside the archive. */
function outsideArchive(path: string): string {
  return path.replace(/\bapp\.asar(?=[\\/])/, "app.asar.unpacked");
}
