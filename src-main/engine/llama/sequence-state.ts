import { statSync } from "node:fs";
import type { LlamaContext } from "node-llama-cpp";
import { RepriseError } from "../../contract/errors.ts";

/** The part of the native context that moves cells between sequence ids and files. */
interface NativeSequences {
  /** Adds the source's cells to the target, whose own stay. Resolves with the last position, 0 for an empty source. */
  copySequenceStateFromOtherSequence(target: number, source: number): Promise<number>;
  /** Negative bounds are open. False where the memory cannot do it. */
  removeTokenCellsFromSequence(sequence: number, from: number, to: number): boolean;
  /** -1 when empty. */
  getSequenceKvCacheMinPosition(sequence: number): number;
  getSequenceKvCacheMaxPosition(sequence: number): number;
  /** Resolves with the file's size. */
  saveSequenceStateToFile(path: string, sequence: number, tokens: Uint32Array): Promise<number>;
  /** Replaces the sequence's cells; when it fails they are gone. */
  loadSequenceStateFromFile(path: string, sequence: number, maximumTokens: number): Promise<Uint32Array>;
}

/** The id that computes. All others only hold cells. */
const activeSequence = 0;
/** llama.cpp knows that many ids whatever the context; one beyond ends the process. */
const sequenceIds = 256;

const methods = [
  "copySequenceStateFromOtherSequence",
  "removeTokenCellsFromSequence",
  "getSequenceKvCacheMinPosition",
  "getSequenceKvCacheMaxPosition",
  "saveSequenceStateToFile",
  "loadSequenceStateFromFile",
] as const satisfies readonly (keyof NativeSequences)[];

/** The files name no tokens; whose cells they are is known from their key. */
const noTokens = new Uint32Array(0);
/** Without room for any, the library takes the call for a question how many there are, and loads nothing. */
const roomForTokens = 1;

export interface SavedRange {
  readonly sequence: number;
  /** The first position to save. */
  readonly from: number;
  /** The one behind the last; all there are where it is left out. */
  readonly to?: number;
  /** An id that holds nothing; it is used and left empty. */
  readonly scratch: number;
}

/**
 * Cells under sequence ids of a context with one stream. It owns nothing: which id holds what is known to its user, who
 * must not compute while one of these promises is open.
 */
export class SequenceState {
  readonly #native: NativeSequences;

  /** Throws ENGINE_FAILED for a context with several streams, where hidden ids would end the process. */
  constructor(context: LlamaContext) {
    const native: unknown = Reflect.get(context, "_ctx");
    if (context.totalSequences !== 1) throw damaged(`a context with ${context.totalSequences} sequences`);
    if (!isNativeSequences(native)) throw damaged("node-llama-cpp cannot move sequences");
    this.#native = native;
  }

  /** Shares the source's cells with the target without copying them. The target keeps cells of its own. */
  async copy(target: number, source: number): Promise<void> {
    await this.#native.copySequenceStateFromOtherSequence(checked(target), checked(source));
  }

  /** Takes the positions in [from, to) from a sequence; `null`: open. False where the model cannot. */
  remove(sequence: number, from: number | null = null, to: number | null = null): boolean {
    return this.#native.removeTokenCellsFromSequence(checked(sequence), from ?? -1, to ?? -1);
  }

  /** First and last position; `null` when the sequence is empty. */
  positions(sequence: number): { readonly first: number; readonly last: number } | null {
    const first = this.#native.getSequenceKvCacheMinPosition(checked(sequence));
    return first < 0 ? null : { first, last: this.#native.getSequenceKvCacheMaxPosition(sequence) };
  }

  /** Writes all of a sequence as one that can be loaded again: of the active id only. Throws ENGINE_FAILED. */
  async saveWhole(path: string): Promise<void> {
    await this.#save(path, activeSequence);
  }

  /**
   * Writes a sequence's positions in [from, to), whichever id it has, for StateFile to read: saved from a hidden id a
   * cell names no sequence, so the library does not load it as it is. The sequence itself is not touched. Throws
   * ENGINE_FAILED.
   */
  async saveFrom(path: string, { sequence, from, to, scratch }: SavedRange): Promise<void> {
    await this.copy(scratch, sequence);
    try {
      const isCutBefore = from === 0 || this.remove(scratch, null, from);
      if (!isCutBefore || !(to === undefined || this.remove(scratch, to)))
        throw saveFailed("the model cannot leave out other positions");
      await this.#save(path, scratch);
    } finally {
      this.remove(scratch);
    }
  }

  /**
   * Replaces a sequence's cells by those of a file. `sizeBytes`: of the file when it was whole; a file that ends early
   * ends the process. Throws ENGINE_FAILED; the sequence is empty then.
   */
  async load(path: string, sequence: number, sizeBytes: number): Promise<void> {
    try {
      if (statSync(path).size !== sizeBytes) throw new Error(`${path} is not whole`);
      await this.#native.loadSequenceStateFromFile(path, checked(sequence), roomForTokens);
    } catch (caught) {
      this.remove(sequence);
      throw failed("A stored conversation could not be put back in place. It is computed again.", caught);
    }
  }

  async #save(path: string, sequence: number): Promise<void> {
    const sizeBytes = await this.#native.saveSequenceStateToFile(path, sequence, noTokens).catch((caught: unknown) => {
      throw saveFailed(caught);
    });
    // The library does not notice when the last bytes find no room.
    if (statSync(path).size !== sizeBytes) throw saveFailed("the file is shorter than what was written");
  }
}

function saveFailed(cause: unknown): RepriseError {
  return failed("What was computed could not be saved. It is computed again when it is needed.", cause);
}

function failed(sentence: string, cause: unknown): RepriseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RepriseError("ENGINE_FAILED", sentence, { reason }, { cause });
}

function damaged(reason: string): RepriseError {
  const sentence = "This copy of Reprise is damaged: its engine library is not the one it needs.";
  return new RepriseError("ENGINE_FAILED", sentence, { reason });
}

function isNativeSequences(value: unknown): value is NativeSequences {
  return (
    typeof value === "object" &&
    value !== null &&
    methods.every((method) => typeof Reflect.get(value, method) === "function")
  );
}

function checked(sequence: number): number {
  if (Number.isInteger(sequence) && sequence >= 0 && sequence < sequenceIds) return sequence;
  throw new RangeError(`${sequence} is no sequence id`);
}
