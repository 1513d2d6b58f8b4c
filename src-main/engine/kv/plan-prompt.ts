import { planAdmission } from "./admission.ts";
import type { AdmissionState, Admitted } from "./admission-plan.ts";
import type { CellLedger } from "./cell-ledger.ts";
import type { KvTiers } from "./kv-tiers.ts";
import type { Resident } from "./resident.ts";
import type { ReuseCosts } from "./reuse-costs.ts";
import type { StoredMatch } from "./stored-chains.ts";

export interface PlacementRequest {
  readonly kind: "turn" | "side";
  readonly conversationId: string;
  readonly prompt: readonly number[];
  /** See Holding. */
  readonly boundaryTokens: number;
  /** Cells that must be left for the answer. */
  readonly reserveTokens: number;
  /** The prompt is a draft of which nothing is to be kept. */
  readonly isDraft?: boolean;
  /** At most so many tokens are restored. */
  readonly restoreTokens?: number;
  /** In place of what was measured. */
  readonly costs?: ReuseCosts;
}

export interface PromptPlan {
  readonly planned: Admitted;
  readonly residents: readonly Resident[];
  readonly match: StoredMatch | null;
  /** The longest beginning in the store, whether or not it can be gone on from there. */
  readonly storedTokens: number;
}

export interface PlanningFacts extends Pick<AdmissionState, "rule" | "costs" | "maxParkedCells" | "window"> {
  readonly tiers: KvTiers;
  readonly ledger: CellLedger;
}

/** A use of ten minutes ago counts half. */
export const cellHalfLifeMs = 600_000;

/**
 * What is to be done for a prompt. A side prompt that finds no room beside the conversation is computed in its place,
 * and the conversation is stored first. A prompt that is longer than the context is the caller's mistake.
 */
export function planPrompt(request: PlacementRequest, { tiers, ...facts }: PlanningFacts): PromptPlan {
  const { kind, conversationId, prompt, reserveTokens } = request;
  const { residents } = tiers;
  const match = tiers.match(prompt);
  const state: AdmissionState = {
    ...facts,
    residents,
    stored: match,
    restoresBehind: true,
    nowMs: Date.now(),
    halfLifeMs: cellHalfLifeMs,
  };
  const asked = { kind, conversationId, owner: conversationId, prompt, reserveTokens };
  const first = planAdmission(asked, state);
  const planned =
    first.kind === "refused" && kind === "side" ? planAdmission({ ...asked, kind: "turn" }, state) : first;
  if (planned.kind === "refused") throw new Error(`a prompt was refused: ${planned.reason}`);
  return { planned, residents, match, storedTokens: tiers.storedTokens(prompt) };
}

/** Where a restore in steps of at most `stepTokens` stops first: in equal steps, for a short last one would not pay. */
export function restoreEnd(from: number, to: number, stepTokens = Infinity): number {
  const steps = Math.max(1, Math.ceil((to - from) / stepTokens));
  return from + Math.ceil((to - from) / steps);
}
