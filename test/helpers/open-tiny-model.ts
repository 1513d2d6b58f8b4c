import { join } from "node:path";
import { loadLlama, type LoadedLlama } from "../../src-main/engine/llama/load-llama.ts";
import { OpenModel, type OpenModelOptions } from "../../src-main/engine/llama/open-model.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "./tiny-gguf.ts";

let loading: Promise<LoadedLlama> | null = null;

/** llama.cpp, loaded once for a test file. */
export function sharedLlama(): Promise<LoadedLlama> {
  loading ??= loadLlama();
  return loading;
}

export const openOptions: OpenModelOptions = {
  contextTokens: 1_024,
  checkTensors: true,
  signal: new AbortController().signal,
  onProgress: () => undefined,
};

/** A synthetic model with its context, computing with one thread. Whoever opens it disposes of it. */
export async function openTinyModel(
  model: TinyModelOptions = {},
  options: Partial<OpenModelOptions> = {},
): Promise<OpenModel> {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), model);
  const opened = await OpenModel.open(await sharedLlama(), path, { ...openOptions, ...options });
  opened.context.setThreads(1);
  return opened;
}
