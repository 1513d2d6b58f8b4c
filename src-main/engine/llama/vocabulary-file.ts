import type { LlamaModel } from "node-llama-cpp";
import { inspectBeforeLoading, modelFileError } from "./inspect-model.ts";
import type { LoadedLlama } from "./load-llama.ts";
import { Vocabulary } from "./vocabulary.ts";

/** The vocabulary and the chat template of a model file, without its weights. It owns both. */
export class VocabularyFile implements AsyncDisposable {
  readonly vocabulary: Vocabulary;
  /** The Jinja template in the file; `null` if it has none. */
  readonly chatTemplate: string | null;
  readonly #model: LlamaModel;

  private constructor(model: LlamaModel) {
    this.#model = model;
    this.vocabulary = new Vocabulary(model);
    this.chatTemplate = model.fileInfo.metadata.tokenizer.chat_template ?? null;
  }

  /** Throws MODEL_MISSING or MODEL_INVALID. */
  static async open({ llama }: LoadedLlama, path: string): Promise<VocabularyFile> {
    inspectBeforeLoading(llama, path);
    try {
      return new VocabularyFile(await llama.loadModel({ modelPath: path, vocabOnly: true, gpuLayers: 0 }));
    } catch (caught) {
      throw modelFileError(path, caught);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#model.dispose();
  }
}
