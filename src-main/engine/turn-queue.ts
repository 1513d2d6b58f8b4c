/**
 * One piece of work at a time. It owns who is working and who waits: answers and loads in the order they came, and
 * behind all of them work that nobody waits for, which therefore comes in small steps. Work whose signal is aborted
 * while it waits is never started, and its caller does not wait for those before it.
 */
export class TurnQueue {
  readonly #waiting: Ticket[] = [];
  readonly #waitingIdle: Ticket[] = [];
  #isBusy = false;

  /** Somebody waits who goes before idle work. */
  get isWanted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Runs `work` when its turn comes. `{ started: false }` where the signal was aborted before that. */
  async run<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<QueuedResult<Result>> {
    return await this.#take(this.#waiting, signal, work);
  }

  /** The same once nobody else wants to work. */
  async runIdle<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<QueuedResult<Result>> {
    return await this.#take(this.#waitingIdle, signal, work);
  }

  async #take<Result>(lane: Ticket[], signal: AbortSignal, work: () => Promise<Result>): Promise<QueuedResult<Result>> {
    if (!(await this.#turn(lane, signal))) return { started: false };
    try {
      if (signal.aborted) return { started: false };
      return { started: true, result: await work() };
    } finally {
      this.#isBusy = false;
      this.#next();
    }
  }

  /** Resolves with whether the turn came before the signal was aborted. */
  async #turn(lane: Ticket[], signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const ticket: Ticket = {
      start: () => {
        resolve(true);
      },
    };
    const giveUp = () => {
      const place = lane.indexOf(ticket);
      if (place < 0) return;
      lane.splice(place, 1);
      resolve(false);
    };
    signal.addEventListener("abort", giveUp, { once: true });
    lane.push(ticket);
    this.#next();
    try {
      return await promise;
    } finally {
      signal.removeEventListener("abort", giveUp);
    }
  }

  #next(): void {
    if (this.#isBusy) return;
    const ticket = this.#waiting.shift() ?? this.#waitingIdle.shift();
    if (ticket === undefined) return;
    this.#isBusy = true;
    ticket.start();
  }
}

type QueuedResult<Result> = { readonly started: true; readonly result: Result } | { readonly started: false };

interface Ticket {
  readonly start: () => void;
}
