import type { ResumeRule } from "../cache/reusable-tokens.ts";
import type { AdmissionStep } from "./admission-step.ts";
import type { CellLedger } from "./cell-ledger.ts";
import type { DeclinedRestore, StoredPrefix } from "./choose-base.ts";
import type { DroppedTokens } from "./plan-draft.ts";
import type { Resident } from "./resident.ts";
import type { ReuseCosts } from "./reuse-costs.ts";
import type { PromptOrigins } from "./token-origins.ts";
import type { WindowPool } from "./window-pool.ts";

export interface AdmissionRequest {
  /** `side`: a title, a summary, after which the active conversation comes back. It never costs a chat anything. */
  readonly kind: "turn" | "side";
  readonly conversationId: string;
  /** In whose name tokens are computed: see OwnedSpan. */
  readonly owner: string;
  readonly prompt: readonly number[];
  /** Cells that must be left for the answer. */
  readonly reserveTokens: number;
}

export interface AdmissionState {
  readonly ledger: CellLedger;
  /** One for each sequence that holds cells. */
  readonly residents: readonly Resident[];
  readonly stored: StoredPrefix | null;
  readonly rule: ResumeRule;
  readonly costs: ReuseCosts;
  /** See BaseInput. */
  readonly restoresBehind: boolean;
  /** So many cells may be parked while an answer is written. */
  readonly maxParkedCells: number;
  /** Of a model with a window; `null` where its size is not known. */
  readonly window: WindowPool | null;
  readonly nowMs: number;
  readonly halfLifeMs: number;
}

export interface Admitted extends PromptOrigins {
  readonly kind: "admitted";
  /** Ends with the prompt's tokens in the active sequence; the last step computes at least one. */
  readonly steps: readonly AdmissionStep[];
  /** Of a side prompt, when it is over in whatever way: puts the conversation back that was active before. */
  readonly after: readonly AdmissionStep[];
  readonly dropped: readonly DroppedTokens[];
  readonly declined: DeclinedRestore | null;
}

export interface Refused {
  readonly kind: "refused";
  /**
   * empty: no tokens; in-use: the active sequence is generating; too-long: never fits these cells; no-room: does not
   * fit beside what must stay; cannot-park: the active conversation cannot be kept meanwhile.
   */
  readonly reason: "empty" | "in-use" | "too-long" | "no-room" | "cannot-park";
}
