import { join } from "node:path";
import { defaultLoadOptions, type LoadOptions } from "../../src-main/contract/model-settings.ts";
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
  options: { ...defaultLoadOptions, contextTokens: 1_024 },
  checkTensors: true,
  signal: new AbortController().signal,
  onProgress: () => undefined,
};

interface TinyModelLoading
  extends Omit<Partial<OpenModelOptions>, "options">, Partial<Pick<LoadOptions, "contextTokens">> {
  readonly options?: Partial<LoadOptions>;
}

/** A synthetic model with its context, computing with one thread. Whoever opens it disposes of it. */
export async function openTinyModel(
  model: TinyModelOptions = {},
  { contextTokens = 1_024, options, ...loading }: TinyModelLoading = {},
): Promise<OpenModel> {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), model);
  const opened = await OpenModel.open(await sharedLlama(), path, {
    ...openOptions,
    ...loading,
    options: { ...defaultLoadOptions, contextTokens, ...options },
  });
  opened.context.setThreads(1);
  return opened;
}
