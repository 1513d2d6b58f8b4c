import { stepWord, unknownStep } from "./computed-steps.ts";

/** What is asked of a context to compute the active sequence. */
export interface CellMemory {
  /** The first position whose keys and values are all in place; `null` when there are none. */
  readonly firstPosition: number | null;
  /** That compute; 0: nobody has said. */
  readonly threads: number;
  computeChunk(position: number, tokens: readonly number[], wantsLogits: boolean): Promise<number | null>;
  computeToken(position: number, token: number): Promise<number>;
  truncate(position: number): boolean;
  clear(): void;
}

export interface ActiveCellsEvents {
  /** All cells that may be used are; returns how many may be from now on. */
  readonly onFull: () => number;
  /** Nothing else in the memory has a part in how sums are rounded. */
  readonly isAlone: () => boolean;
  /** A computation failed: nobody knows what the cells hold. */
  readonly onFailure: () => void;
}

/**
 * The active sequence: it owns which token ids its cells hold, in order, and computes more behind them. Decoding calls
 * `append` once a token, so there is nothing in it but what one token needs.
 */
export class ActiveCells {
  readonly #memory: CellMemory;
  readonly #events: ActiveCellsEvents;
  readonly #tokens: number[] = [];
  readonly #steps: number[] = [];
  #limit = Infinity;

  constructor(memory: CellMemory, events: ActiveCellsEvents) {
    this.#memory = memory;
    this.#events = events;
  }

  get length(): number {
    return this.#tokens.length;
  }

  get tokens(): readonly number[] {
    return this.#tokens;
  }

  /** The step of each token: see computed-steps.ts. */
  get steps(): readonly number[] {
    return this.#steps;
  }

  /** So many tokens fit beside what is parked. */
  set limit(tokens: number) {
    this.#limit = tokens;
  }

  /** Computes tokens behind the cells in place. Returns where the last one's logits are, if they are wanted. */
  async extend(tokens: readonly number[], wantsLogits: boolean): Promise<number | null> {
    if (this.#tokens.length + tokens.length > this.#limit) this.#limit = this.#events.onFull();
    const index = await this.#orGiveUp(this.#memory.computeChunk(this.#tokens.length, tokens, wantsLogits));
    this.#computed(tokens);
    return index;
  }

  async append(token: number): Promise<number> {
    if (this.#tokens.length >= this.#limit) this.#limit = this.#events.onFull();
    const index = await this.#orGiveUp(this.#memory.computeToken(this.#tokens.length, token));
    this.#computed([token]);
    return index;
  }

  /**
   * The cells were changed from outside: they hold the first `kept` tokens as before, and these behind them, computed in
   * these steps.
   */
  replaceFrom(kept: number, tokens: readonly number[], steps: readonly number[] = []): void {
    this.#tokens.length = Math.min(kept, this.#tokens.length);
    this.#steps.length = this.#tokens.length;
    for (const [index, token] of tokens.entries()) this.#push(token, steps[index] ?? unknownStep);
  }

  #computed(tokens: readonly number[]): void {
    const threads = this.#events.isAlone() ? this.#memory.threads : 0;
    for (const [index, token] of tokens.entries()) {
      this.#push(token, stepWord({ tokens: tokens.length, index, threads }));
    }
  }

  #push(token: number, step: number): void {
    this.#tokens.push(token);
    this.#steps.push(step);
  }

  async #orGiveUp<Result>(computation: Promise<Result>): Promise<Result> {
    try {
      return await computation;
    } catch (caught) {
      this.replaceFrom(0, []);
      this.#events.onFailure();
      throw caught;
    }
  }
}
