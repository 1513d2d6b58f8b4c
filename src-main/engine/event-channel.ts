/**
 * Events from one writer to one reader, in order. It owns the events not read yet. The reader may go away at any time
 * (`return`, which works also while it waits for an event): then `onAbandoned` is called, and writing does nothing.
 */
export class EventChannel<Event> implements AsyncIteratorObject<Event, undefined> {
  readonly #waiting: Event[] = [];
  readonly #onAbandoned: () => void;
  #reader: PromiseWithResolvers<IteratorResult<Event, undefined>> | null = null;
  #end: { readonly error: unknown } | "open" | "done" = "open";

  constructor(onAbandoned: () => void) {
    this.#onAbandoned = onAbandoned;
  }

  write(event: Event): void {
    if (this.#end !== "open") return;
    if (this.#reader === null) this.#waiting.push(event);
    else this.#answer({ done: false, value: event });
  }

  /** No more events. With an error: the reader gets it after the events written before. */
  close(failure?: { readonly error: unknown }): void {
    if (this.#end !== "open") return;
    this.#end = failure ?? "done";
    if (this.#reader === null) return;
    if (failure === undefined) this.#answer({ done: true, value: undefined });
    else {
      this.#reader.reject(failure.error);
      this.#reader = null;
      this.#end = "done";
    }
  }

  async next(): Promise<IteratorResult<Event, undefined>> {
    const [event] = this.#waiting;
    if (this.#waiting.length > 0) {
      this.#waiting.shift();
      return { done: false, value: event as Event };
    }
    if (this.#end === "done") return { done: true, value: undefined };
    if (this.#end !== "open") {
      const { error } = this.#end;
      this.#end = "done";
      throw error;
    }
    this.#reader = Promise.withResolvers();
    return await this.#reader.promise;
  }

  async return(): Promise<IteratorResult<Event, undefined>> {
    const isAbandoned = this.#end === "open";
    this.#end = "done";
    this.#waiting.length = 0;
    if (this.#reader !== null) this.#answer({ done: true, value: undefined });
    if (isAbandoned) this.#onAbandoned();
    return await Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  #answer(result: IteratorResult<Event, undefined>): void {
    this.#reader?.resolve(result);
    this.#reader = null;
  }
}
