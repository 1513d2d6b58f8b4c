/**
 * One reader of something that changes. It owns what this reader has not taken yet, and keeps that small however slow
 * the reader is: waiting events are merged, and beyond a limit replaced by a snapshot of how things are when the
 * reader comes back. Taking the snapshot and what follows it leaves no gap, since both happen in one turn.
 */
import { AsyncIteratorClass } from "@orpc/server";

export interface FeedRules<Event> {
  /** How things are now: the first event of every reader. */
  readonly snapshot: () => Event;
  /** How much may wait for a reader, in units of `sizeOf`. 0: only the newest state matters. */
  readonly backlogLimit: number;
  /** 1 where absent. */
  readonly sizeOf?: (event: Event) => number;
  /** Two events that follow each other as one, or `null` where they stay apart. */
  readonly merge?: (earlier: Event, later: Event) => Event | null;
  /** Events that arrive even where a snapshot replaces the others. */
  readonly mustArrive?: (event: Event) => boolean;
  /** Shortest time between two such events, and between two snapshots. */
  readonly gapMs?: (event: Event) => number;
  readonly snapshotGapMs?: number;
}

export class EventReader<Event> {
  readonly events: AsyncIteratorClass<Event, undefined>;
  readonly #rules: FeedRules<Event>;
  readonly #onClosed: () => void;
  #waiting: Event[] = [];
  #snapshotDue = true;
  #started = false;
  #ended = false;
  #closed = false;
  #takenAt = 0;
  #wake: (() => void) | null = null;

  constructor(rules: FeedRules<Event>, onClosed: () => void) {
    this.#rules = rules;
    this.#onClosed = onClosed;
    this.events = new AsyncIteratorClass<Event, undefined>(
      () => this.#pull(),
      () => {
        this.close();
        return Promise.resolve();
      },
    );
  }

  push(event: Event): void {
    if (this.#closed || this.#ended) return;
    if (this.#snapshotDue) {
      if (this.#started && this.#rules.mustArrive?.(event) === true) this.#waiting.push(event);
    } else {
      this.#append(event);
    }
    this.#wake?.();
  }

  /** A snapshot next, instead of what is waiting. */
  refresh(): void {
    const { mustArrive } = this.#rules;
    this.#waiting = mustArrive === undefined ? [] : this.#waiting.filter((event) => mustArrive(event));
    this.#snapshotDue = true;
    this.#wake?.();
  }

  /** Nothing more will come: the reader gets what is waiting, then the end. */
  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The reader went away. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#waiting = [];
    this.#wake?.();
    this.#onClosed();
  }

  #append(event: Event): void {
    const last = this.#waiting.at(-1);
    const merged = last === undefined ? null : (this.#rules.merge?.(last, event) ?? null);
    if (merged === null) this.#waiting.push(event);
    else this.#waiting[this.#waiting.length - 1] = merged;
    if (this.#backlog() > this.#rules.backlogLimit) this.refresh();
  }

  #backlog(): number {
    const { sizeOf } = this.#rules;
    return sizeOf === undefined
      ? this.#waiting.length
      : this.#waiting.reduce((total, event) => total + sizeOf(event), 0);
  }

  async #pull(): Promise<IteratorResult<Event, undefined>> {
    while (!this.#closed) {
      const delayMs = this.#nextDelayMs();
      if (delayMs === 0) return { done: false, value: this.#take() };
      if (delayMs === null && this.#ended) break;
      await this.#changed(delayMs);
    }
    return { done: true, value: undefined };
  }

  /** Until the next event may be taken; `null` where there is none. */
  #nextDelayMs(): number | null {
    const [next, ...others] = this.#waiting;
    if (next === undefined && (!this.#snapshotDue || this.#ended)) return null;
    if (!this.#started || this.#ended || others.length > 0) return 0;
    return Math.max(0, this.#takenAt + this.#gapMs(next) - performance.now());
  }

  #gapMs(next: Event | undefined): number {
    return (next === undefined ? this.#rules.snapshotGapMs : this.#rules.gapMs?.(next)) ?? 0;
  }

  #take(): Event {
    const next = this.#waiting.shift();
    // One that may come at any time does not hold up the next: the first text may follow a phase at once.
    if (next === undefined || this.#gapMs(next) > 0) this.#takenAt = performance.now();
    if (next !== undefined) return next;
    this.#snapshotDue = false;
    this.#started = true;
    return this.#rules.snapshot();
  }

  #changed(delayMs: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = delayMs === null ? null : setTimeout(resolve, delayMs);
      this.#wake = () => {
        if (timer !== null) clearTimeout(timer);
        this.#wake = null;
        resolve();
      };
    });
  }
}
