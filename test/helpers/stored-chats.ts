import { join } from "node:path";
import { newId } from "../../src-main/contract/id.ts";
import { CachedChat } from "./cached-chat.ts";
import { load, type EngineClient } from "./engine-turns.ts";
import { temporaryFolder } from "./temporary-folder.ts";
import { writeTinyGguf, type TinyModelOptions } from "./tiny-gguf.ts";

/** Tiny models for tests that compare what was reused with what is computed without any reuse. */
export function storedChats(client: EngineClient) {
  return {
    /**
     * Loads a tiny model of a name of its own, which no test before can have computed anything with, and a store in a
     * folder of its own. Returns how to load the same again, or another one with that store.
     */
    loadStored: async (model: TinyModelOptions = {}): Promise<(path?: string) => Promise<void>> => {
      const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: newId(), ...model });
      const cacheFolder = temporaryFolder();
      const store = { isEnabled: true, budgetBytes: 1e9 };
      const loadAgain = async (modelPath = path) => {
        await load(client, modelPath, { contextTokens: 2_048, cacheFolder, store });
      };
      await loadAgain();
      return loadAgain;
    },

    /**
     * The answers to these messages, one after another, with nothing in between and nothing from before: by a model of
     * the same weights, which is another one to the cache.
     */
    uninterrupted: async (
      texts: readonly string[],
      model: TinyModelOptions = {},
      options: { readonly system?: string } = {},
    ): Promise<string[]> => {
      const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { ...model, name: newId() });
      await load(client, path, { contextTokens: 2_048 });
      const chat = new CachedChat(client, "reference", options);
      const answers: string[] = [];
      for (const text of texts) answers.push((await chat.send(text)).text);
      return answers;
    },
  };
}
