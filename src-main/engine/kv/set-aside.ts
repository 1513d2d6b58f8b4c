import type { BlockLoader } from "./block-loader.ts";
import { activeSequence } from "./cell-ledger.ts";
import type { CellStream } from "./cell-stream.ts";
import type { Holding } from "./holding.ts";

export interface SetAsideParts {
  readonly stream: CellStream;
  readonly loader: Pick<BlockLoader, "copyState" | "putState">;
}

interface Kept {
  readonly state: Uint8Array;
  readonly tokens: readonly number[];
  readonly steps: readonly number[];
  readonly holding: Holding;
}

/**
 * A conversation that makes way for a side prompt and comes back, with models that hold no two states at once. It owns
 * the state meanwhile.
 */
export class SetAside {
  readonly #parts: SetAsideParts;
  #kept: Kept | null = null;

  constructor(parts: SetAsideParts) {
    this.#parts = parts;
  }

  /** Keeps what is in place, which stays there. A state that cannot be saved is not kept. */
  async take(): Promise<void> {
    const { stream, loader } = this.#parts;
    if (stream.active.role === "side" || stream.cells.length === 0) return;
    const tokens = stream.cells.tokens.slice();
    const steps = stream.cells.steps.slice();
    const state = await loader.copyState(tokens.length);
    this.#kept = state === null ? null : { state, tokens, steps, holding: stream.active };
  }

  /** Returns whether a conversation is in place again. If not, what is in place stays, or nothing is. */
  async putBack(): Promise<boolean> {
    const { stream, loader } = this.#parts;
    const kept = this.#kept;
    this.#kept = null;
    if (kept === null) return false;
    await stream.take({ kind: "release", sequence: activeSequence });
    if (!(await loader.putState(kept.state))) return false;
    stream.cells.replaceFrom(0, kept.tokens, kept.steps);
    stream.active = kept.holding;
    return true;
  }
}
