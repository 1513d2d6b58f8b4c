export type CellFault =
  /** More cells than are free. */
  | "no-room"
  /** An id that the stream does not have. */
  | "no-such-sequence"
  /** The sequence that is to take cells over holds some already: the positions would be held twice. */
  | "occupied"
  /** The sequence holds fewer cells than that. */
  | "too-short"
  /** Not a whole number from 0 on. */
  | "invalid-count";

/** What would have made the ledger and the cells disagree. Nothing was changed. */
export class CellLedgerError extends Error {
  override readonly name = "CellLedgerError";
  readonly fault: CellFault;

  constructor(operation: string, fault: CellFault) {
    super(`Cells cannot be accounted for: ${operation} was refused (${fault}).`);
    this.fault = fault;
  }
}
