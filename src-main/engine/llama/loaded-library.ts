import { RepriseError } from "../../contract/errors.ts";
import { closeLlama, loadLlama, type LoadedLlama } from "./load-llama.ts";

/** llama.cpp, loaded when it is first needed, once for the process. A failure is not kept: the next call may do better. */
export class LoadedLibrary implements AsyncDisposable {
  #llama: Promise<LoadedLlama> | null = null;
  #isClosed = false;

  /** Throws ENGINE_FAILED, and ENGINE_STOPPED once it is closed. */
  async get(): Promise<LoadedLlama> {
    if (this.#isClosed) throw new RepriseError("ENGINE_STOPPED", "The engine is shutting down.", {});
    this.#llama ??= loadLlama();
    try {
      return await this.#llama;
    } catch (caught) {
      this.#llama = null;
      throw caught;
    }
  }

  /** From now on it is given to nobody. */
  close(): void {
    this.#isClosed = true;
  }

  /** After all models. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.close();
    // Where it never loaded, there is nothing to free.
    await this.#llama?.then(closeLlama, () => undefined);
  }
}
