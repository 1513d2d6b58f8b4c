/**
 * The sequence state file of llama.cpp (GGSQ, version 3), as one stream without a window writes it. Numbers are 32 bits,
 * little-endian:
 *
 *   magic, version, number of tokens, the tokens; number of streams, number of cells
 *   a cell: position, number of sequence ids, 12 bytes of extension with some models, the sequence ids
 *   whether values are by column, number of layers
 *   keys, for each layer: type, bytes of a row (64 bits), a row for each cell
 *   values, for each layer: the same; or by column: type, bytes of an element, number of columns, and for each column
 *   its element of each cell. Some models have none.
 */

export const stateMagic = 0x67677371;
export const stateVersion = 3;

/** More than any model has; a larger number is not a count of layers. */
export const maximumLayers = 1_024;

/** What a file cannot be used for, and why. Nothing was changed. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
  readonly reason: StateFileProblem;

  constructor(reason: StateFileProblem, message: string) {
    super(message);
    this.reason = reason;
  }
}

export type StateFileProblem =
  /** It is no state file of this version, or not all of one. */
  | "malformed"
  /** It holds no cells. */
  | "empty"
  /** A state that is not made of one row a token in every layer: several streams, a sliding window, recurrent layers. */
  | "not-by-token"
  /** Positions are missing, or are there twice. */
  | "positions"
  /** Blocks do not fit the layout or each other. */
  | "blocks";

/** Bytes of an element of a type whose values can be stored by column; the others are only stored by row. */
export function elementBytes(type: number): 2 | 4 | null {
  switch (type) {
    case 0: // F32
      return 4;
    case 1: // F16
    case 30: // BF16
      return 2;
    default:
      return null;
  }
}
