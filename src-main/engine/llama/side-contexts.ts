import type { ModelContext } from "./model-context.ts";

/** Throws the signal's reason, or ENGINE_FAILED (memory). */
type CreateContext = (contextTokens: number, signal: AbortSignal) => Promise<ModelContext>;

/**
 * Contexts of a model beside the one conversations are held in, for work that must not touch those. It owns them: they
 * go before the model does, whoever still uses them.
 */
export class SideContexts implements AsyncDisposable {
  readonly #create: CreateContext;
  readonly #open = new Set<ModelContext>();

  constructor(create: CreateContext) {
    this.#create = create;
  }

  async open(contextTokens: number, signal: AbortSignal): Promise<ModelContext> {
    const context = await this.#create(contextTokens, signal);
    this.#open.add(context);
    return context;
  }

  /** One that is gone already is no error. */
  async close(context: ModelContext): Promise<void> {
    if (this.#open.delete(context)) await context[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const context of this.#open) await this.close(context);
  }
}
