/** Why tokens are lost, from what became of their block; `null` where they are not, or nobody will miss them. */
import type { LossReason } from "./loss-log.ts";
import type { RemovalCause } from "./store-outcome.ts";
import type { StoreFailure } from "./store-problem.ts";

export const lossOfRemoval: Readonly<Record<RemovalCause, LossReason | null>> = {
  evicted: "evicted",
  cleared: "evicted",
  damaged: "store-damaged",
  lost: "store-damaged",
  superseded: null,
  deleted: null,
};

/** Of a block that was not written. What it stood on may be gone by then: its save is given up. */
export function lossOfFailure(reason: StoreFailure["reason"]): LossReason {
  if (reason === "orphan") return "cancelled";
  return reason === "over-budget" ? "over-budget" : "disk";
}
