/** A stream that a test feeds: what is pushed arrives in order, also when nobody reads yet. */
export interface EventSource<Event> extends AsyncIterable<Event> {
  push(event: Event): void;
  /** Ends the stream, with an error if one is given. */
  end(error?: Error): void;
}

export function eventSource<Event>(): EventSource<Event> {
  const waiting: Event[] = [];
  let ended: { readonly error: Error | undefined } | null = null;
  let wake: () => void = () => undefined;
  async function* read() {
    for (;;) {
      const event = waiting.shift();
      if (event !== undefined) yield event;
      else if (ended !== null) {
        if (ended.error !== undefined) throw ended.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  }
  return {
    push: (event) => {
      waiting.push(event);
      wake();
    },
    end: (error) => {
      ended = { error };
      wake();
    },
    [Symbol.asyncIterator]: read,
  };
}
