import { reusableTokens, type ResumeRule } from "./reusable-tokens.ts";

/** What the cache needs of a context. */
export interface CellMemory {
  readonly firstPosition: number | null;
  computeChunk(position: number, tokens: readonly number[], wantsLogits: boolean): Promise<number | null>;
  computeToken(position: number, token: number): Promise<number>;
  truncate(position: number): boolean;
  clear(): void;
}

/**
 * The one conversation in place: it owns which token ids the context's cells hold, in order, and is the only one to
 * change those cells. What they hold is never guessed: when a computation fails, all of it is given up.
 */
export class ResidentCache {
  readonly #memory: CellMemory;
  readonly #rule: ResumeRule;
  readonly #tokens: number[] = [];

  constructor(memory: CellMemory, rule: ResumeRule) {
    this.#memory = memory;
    this.#rule = rule;
  }

  get length(): number {
    return this.#tokens.length;
  }

  /** Keeps as much of the prompt's beginning as is in place and frees the other cells. Returns how many tokens that is. */
  keepPrefixOf(prompt: readonly number[]): number {
    const { firstPosition } = this.#memory;
    const kept = reusableTokens({ resident: this.#tokens, prompt, firstPosition, rule: this.#rule });
    if (kept === this.#tokens.length) return kept;
    if (kept === 0 || !this.#memory.truncate(kept)) {
      this.clear();
      return 0;
    }
    this.#tokens.length = kept;
    return kept;
  }

  /** Computes tokens behind the cells in place. Returns where the last one's logits are, if they are wanted. */
  async extend(tokens: readonly number[], wantsLogits: boolean): Promise<number | null> {
    const index = await this.#orGiveUp(this.#memory.computeChunk(this.#tokens.length, tokens, wantsLogits));
    for (const token of tokens) this.#tokens.push(token);
    return index;
  }

  async append(token: number): Promise<number> {
    const index = await this.#orGiveUp(this.#memory.computeToken(this.#tokens.length, token));
    this.#tokens.push(token);
    return index;
  }

  clear(): void {
    this.#memory.clear();
    this.#tokens.length = 0;
  }

  async #orGiveUp<Result>(computation: Promise<Result>): Promise<Result> {
    try {
      return await computation;
    } catch (caught) {
      this.clear();
      throw caught;
    }
  }
}
