import type { ModelSession } from "./model-session.ts";

/** Made once for a model: a prompt is long, and its steps are many. It owns what was made for the last one. */
export class Remembered<Value> {
  readonly #make: (session: ModelSession) => Value;
  #made: { readonly session: ModelSession; readonly value: Value } | null = null;

  constructor(make: (session: ModelSession) => Value) {
    this.#make = make;
  }

  of(session: ModelSession): Value {
    if (this.#made?.session !== session) this.#made = { session, value: this.#make(session) };
    return this.#made.value;
  }
}
