import { commonPrefixLength } from "../cache/reusable-tokens.ts";
import type { Admitted } from "./admission-plan.ts";
import type { AdmissionStep } from "./admission-step.ts";
import { activeSequence } from "./cell-ledger.ts";
import type { Resident } from "./resident.ts";
import { joinOwners, ownersBetween, tokensOwnedBy, type OwnedSpan } from "./token-owners.ts";

export interface Restored {
  readonly from: number;
  readonly to: number;
  /** Up to here it was to be restored. */
  readonly wanted: number;
  readonly elapsedMs: number;
}

/** Where the beginning of a prompt came from, and what could have been had. Each token counts once. */
export interface Placement {
  readonly kind: "turn" | "side";
  readonly isDraft: boolean;
  readonly owner: string;
  /** Of all tokens of the prompt, once it is computed. */
  readonly owners: readonly OwnedSpan[];
  readonly reusedTokens: number;
  readonly fromResident: number;
  readonly fromShared: number;
  readonly fromStore: number;
  /** Of fromResident, what was computed while the message was being typed. */
  readonly preparedTokens: number;
  readonly restored: Restored | null;
  /** Puts back what a side prompt displaced. */
  readonly after: readonly AdmissionStep[];
  /** The longest beginnings that were there when the prompt came, whether or not they could be gone on from. */
  readonly available: {
    readonly residentTokens: number;
    readonly storedTokens: number;
    readonly isRestoreDeclined: boolean;
  };
}

export interface PlacementFacts {
  readonly kind: "turn" | "side";
  readonly owner: string;
  readonly prompt: readonly number[];
  readonly isDraft: boolean;
  readonly residents: readonly Resident[];
  readonly storedTokens: number;
  readonly planned: Admitted;
  readonly restored: Restored | null;
  /** How many tokens are in place after all steps. */
  readonly length: number;
  /** See Holding: of the active sequence before. */
  readonly draftFrom: number | null;
}

export function placementOf(facts: PlacementFacts): Placement {
  const { kind, owner, prompt, planned, restored, length, isDraft } = facts;
  // What could not be restored after all is computed.
  const inPlaceEnd = Math.min(restored?.from ?? length, length);
  const fromResident = tokensOwnedBy(owner, ownersBetween(planned.owners, 0, inPlaceEnd));
  const fromStore = tokensOwnedBy(owner, ownersBetween(planned.owners, inPlaceEnd, length));
  const active = facts.residents.find(({ sequence }) => sequence === activeSequence);
  const equalInPlace = commonPrefixLength(active?.tokens ?? [], prompt);
  const inPlace = Math.min(equalInPlace, inPlaceEnd);
  const prepared = facts.draftFrom === null ? 0 : Math.max(0, inPlace - facts.draftFrom);
  return {
    kind,
    isDraft,
    owner,
    owners: joinOwners(ownersBetween(planned.owners, 0, length), [{ owner, tokens: prompt.length - length }]),
    reusedTokens: length,
    fromResident,
    fromShared: length - fromResident - fromStore,
    fromStore,
    preparedTokens: Math.min(fromResident, prepared),
    restored,
    after: planned.after,
    available: {
      residentTokens: Math.max(0, ...facts.residents.map(({ tokens }) => commonPrefixLength(tokens, prompt))),
      storedTokens: facts.storedTokens,
      isRestoreDeclined: planned.declined !== null,
    },
  };
}
