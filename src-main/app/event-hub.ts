/** All readers of one thing that changes. What they see is up to the rules; see event-reader.ts. */
import { EventReader, type FeedRules } from "./event-reader.ts";

export class EventHub<Event> {
  readonly #rules: FeedRules<Event>;
  readonly #readers = new Set<EventReader<Event>>();
  #ended = false;

  constructor(rules: FeedRules<Event>) {
    this.#rules = rules;
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  /** Ends when the iterator is closed, when `signal` aborts, or with the hub. */
  watch(signal?: AbortSignal): AsyncIteratorObject<Event, undefined> {
    const close = () => {
      reader.close();
    };
    const reader = new EventReader(this.#rules, () => {
      this.#readers.delete(reader);
      signal?.removeEventListener("abort", close);
    });
    this.#readers.add(reader);
    signal?.addEventListener("abort", close, { once: true });
    if (signal?.aborted === true) close();
    if (this.#ended) reader.end();
    return reader.events;
  }

  publish(event: Event): void {
    for (const reader of this.#readers) reader.push(event);
  }

  /** Every reader gets a snapshot next, instead of what it has not taken yet. */
  refresh(): void {
    for (const reader of this.#readers) reader.refresh();
  }

  end(): void {
    this.#ended = true;
    for (const reader of this.#readers) reader.end();
  }
}
