import { memoryReserve } from "../../contract/machine-fit.ts";
import { largestContext, missingBytes, planContext, smallestContext, type ContextFacts } from "./plan-context.ts";

/** In bytes: what programs could have now, and what there is altogether. */
export interface FreeMemory {
  readonly freeBytes: number;
  readonly totalBytes: number;
}

export interface ContextRoomOptions extends Pick<
  ContextFacts,
  "trainedTokens" | "limitTokens" | "bytesPerToken" | "fixedBytes"
> {
  readonly freeMemory: () => FreeMemory | Promise<FreeMemory>;
  /** What other models would give back if they made way. */
  readonly reclaimableBytes?: () => number;
}

/** By so much more memory must be free than when a context could not be made, until it is tried again. */
const changedMemory = 1.25;

/** How large a loaded model's context may be. It owns what was last known of free memory. */
export class ContextRoom {
  readonly #options: ContextRoomOptions;
  #limitTokens: number | null;
  #memory: FreeMemory = { freeBytes: 0, totalBytes: 0 };
  #triedInVainBytes: number | null = null;

  private constructor(options: ContextRoomOptions) {
    this.#options = options;
    this.#limitTokens = options.limitTokens;
  }

  static async open(options: ContextRoomOptions): Promise<ContextRoom> {
    const room = new ContextRoom(options);
    await room.refresh();
    return room;
  }

  /** Looks at how much memory is free. To be called before the others where time has passed, or a context was made. */
  async refresh(): Promise<void> {
    this.#memory = await this.#options.freeMemory();
  }

  /** From now on a context must not be larger. */
  limitTo(tokens: number): void {
    this.#limitTokens = Math.min(tokens, this.#limitTokens ?? Infinity);
  }

  /** See planContext. Other models make way only where what is needed cannot be had without. */
  plan(neededTokens: number, currentTokens: number): number {
    const beside = planContext({ ...this.#facts(currentTokens), neededTokens });
    const isEnough = currentTokens === 0 || beside >= neededTokens;
    const planned = isEnough ? beside : planContext({ ...this.#allFacts(currentTokens), neededTokens });
    return planned > currentTokens && currentTokens > 0 && this.#isInVain ? currentTokens : planned;
  }

  /** See largestContext. With what other models would give back. */
  largest(currentTokens: number): number {
    return currentTokens > 0 && this.#isInVain ? currentTokens : largestContext(this.#allFacts(currentTokens));
  }

  /** What other models have to give back for a context of so many tokens; 0: nothing. */
  missingBytes(tokens: number, currentTokens: number): number {
    return missingBytes(this.#facts(currentTokens), tokens);
  }

  /** Whether a context can be made in place of the current one while memory holds what goes into it. */
  fitsBeside(heldBytes: number, plannedTokens: number, currentTokens: number): boolean {
    const facts = this.#facts(currentTokens);
    return largestContext({ ...facts, freeBytes: facts.freeBytes - heldBytes }) >= plannedTokens;
  }

  /** See smallestContext. */
  get smallest(): number {
    return smallestContext(this.#facts(0));
  }

  /** A planned context could not be made. It is not tried again until clearly more memory is free. */
  noteFailure(): void {
    this.#triedInVainBytes = this.#memory.freeBytes;
  }

  get #isInVain(): boolean {
    return this.#triedInVainBytes !== null && this.#memory.freeBytes < this.#triedInVainBytes * changedMemory;
  }

  #allFacts(currentTokens: number): ContextFacts {
    const facts = this.#facts(currentTokens);
    return { ...facts, freeBytes: facts.freeBytes + (this.#options.reclaimableBytes?.() ?? 0) };
  }

  #facts(currentTokens: number): ContextFacts {
    const { trainedTokens, bytesPerToken, fixedBytes } = this.#options;
    const { freeBytes, totalBytes } = this.#memory;
    const limitTokens = this.#limitTokens;
    const reserveBytes = memoryReserve(totalBytes);
    const own = { trainedTokens, limitTokens, bytesPerToken, fixedBytes };
    return { ...own, currentTokens, neededTokens: 0, freeBytes, reserveBytes };
  }
}
