/**
 * Collects events and hands them over together, at most once a frame. Owns what waits; nothing is lost when a window
 * is hidden, where the browser draws no frames.
 */
export class FrameBatch<Event> {
  #waiting: Event[] = [];
  #cancel: (() => void) | null = null;
  readonly #take: (events: readonly Event[]) => void;
  readonly #nextFrame: NextFrame;

  constructor(take: (events: readonly Event[]) => void, nextFrame: NextFrame = nextBrowserFrame) {
    this.#take = take;
    this.#nextFrame = nextFrame;
  }

  add(event: Event): void {
    this.#waiting.push(event);
    this.#cancel ??= this.#nextFrame(() => {
      this.flush();
    });
  }

  /** Hands over what waits, now. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    const events = this.#waiting;
    this.#waiting = [];
    if (events.length > 0) this.#take(events);
  }

  /** Drops what waits. */
  clear(): void {
    this.#waiting = [];
    this.flush();
  }
}

/** Calls once, before the next frame. Returns what cancels it. */
export type NextFrame = (callback: () => void) => () => void;

const hiddenIntervalMs = 250;

const nextBrowserFrame: NextFrame = (callback) => {
  if (document.hidden) {
    const timer = setTimeout(callback, hiddenIntervalMs);
    return () => {
      clearTimeout(timer);
    };
  }
  const frame = requestAnimationFrame(callback);
  return () => {
    cancelAnimationFrame(frame);
  };
};
