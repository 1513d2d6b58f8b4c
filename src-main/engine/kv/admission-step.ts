import { activeSequence, type CellLedger } from "./cell-ledger.ts";

/** What is done to put a prompt in place, one after the other. */
export type AdmissionStep =
  /** Hand the tokens [from, to) of the active sequence to the store: the next steps give up their cells. */
  | { readonly kind: "store"; readonly from: number; readonly to: number }
  /** `target`, which holds nothing, holds all cells of `source` too. Nothing is moved. */
  | { readonly kind: "copy"; readonly source: number; readonly target: number }
  /** The sequence keeps its first `length` cells; at least one. */
  | { readonly kind: "truncate"; readonly sequence: number; readonly length: number }
  /** The sequence holds nothing any more. */
  | { readonly kind: "release"; readonly sequence: number }
  /** Load the prompt's tokens [from, to) from the store behind the `from` cells of the active sequence. */
  | { readonly kind: "restore"; readonly from: number; readonly to: number }
  /** Compute the prompt's tokens [from, to) behind the `from` cells of the active sequence. */
  | { readonly kind: "compute"; readonly from: number; readonly to: number };

/** Accounts for a step. Throws CellLedgerError where the cells do not allow it. */
export function accountFor(step: AdmissionStep, ledger: CellLedger): void {
  switch (step.kind) {
    case "store":
      return;
    case "copy":
      ledger.share(step.source, step.target);
      return;
    case "truncate":
      ledger.truncate(step.sequence, step.length);
      return;
    case "release":
      ledger.release(step.sequence);
      return;
    case "restore":
    case "compute":
      ledger.append(activeSequence, step.to - step.from);
      return;
  }
}
