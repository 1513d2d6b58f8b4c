import { join } from "node:path";
import { newId } from "../../src-main/contract/id.ts";
import { CachedChat } from "./cached-chat.ts";
import { cacheOptions, load, type EngineClient } from "./engine-turns.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "./tiny-gguf.ts";

interface StoredModelOptions {
  readonly isEnabled?: boolean;
  readonly budgetBytes?: number;
}

export interface StoredModel {
  /** The same, or `next`, in a process that has nothing but the store's file; `work` is done while that is closed. */
  readonly restarted: (work?: () => void, next?: TinyModelOptions) => Promise<void>;
  readonly kvPath: string;
}

/**
 * Loads a tiny model of a name of its own, which no test before can have computed anything with, and a store in a folder
 * of its own.
 */
export async function loadStored(
  client: EngineClient,
  model: TinyModelOptions,
  { isEnabled = true, budgetBytes = 1e9 }: StoredModelOptions = {},
): Promise<StoredModel> {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId(), ...model });
  const cacheFolder = temporaryFolder();
  const start = async (modelPath: string) => {
    await load(client, modelPath, { contextTokens: 2_048, cacheFolder, store: { isEnabled, budgetBytes } });
  };
  const restarted = async (work?: () => void, next?: TinyModelOptions) => {
    await client.unload();
    // Another folder: the file of the first is closed.
    await client.cache.open(cacheOptions());
    work?.();
    await start(next === undefined ? path : await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), next));
  };
  await start(path);
  return { restarted, kvPath: join(cacheFolder, "kv.db") };
}

/** The answers to these messages, one after another, with nothing in between and nothing from before. */
export async function uninterrupted(
  client: EngineClient,
  model: TinyModelOptions,
  texts: readonly string[],
): Promise<string[]> {
  await loadStored(client, model);
  const chat = new CachedChat(client, "reference");
  const answers: string[] = [];
  for (const text of texts) answers.push((await chat.send(text)).text);
  return answers;
}
