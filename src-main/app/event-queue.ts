/**
 * Events of one piece of work for the one who asked for it, in order and all of them. It owns those not read yet. Work
 * begins with reading, and its signal aborts when the reader goes away.
 */
type Work<Event> = (tell: (event: Event) => void, signal: AbortSignal) => Promise<void>;

/** Ends when the work has ended; throws what it throws, after the events before. */
export async function* eventsOf<Event>(signal: AbortSignal, work: Work<Event>): AsyncGenerator<Event, undefined> {
  const waiting: Event[] = [];
  const abandoned = new AbortController();
  let wake = Promise.withResolvers<undefined>();
  const state = { isOver: false };
  const tell = (event: Event) => {
    waiting.push(event);
    wake.resolve(undefined);
  };
  const done = work(tell, AbortSignal.any([signal, abandoned.signal])).finally(() => {
    state.isOver = true;
    wake.resolve(undefined);
  });
  // It is waited for below, but not by a reader that goes away.
  done.catch(() => undefined);
  try {
    for (;;) {
      yield* waiting.splice(0);
      if (state.isOver && waiting.length === 0) break;
      await wake.promise;
      wake = Promise.withResolvers();
    }
    await done;
  } finally {
    abandoned.abort();
  }
}
