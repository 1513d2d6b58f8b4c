import { firstUse, type DecayedUse } from "./decayed-use.ts";
import type { Resident } from "./resident.ts";
import { joinOwners, type OwnedSpan } from "./token-owners.ts";

/** What is known of a sequence beside its tokens. */
export interface Holding {
  readonly role: Resident["role"];
  readonly conversationId: string;
  readonly owners: readonly OwnedSpan[];
  readonly keptTokens: number;
  /** Where a block ends beside the usual places: behind the system prompt. */
  readonly boundaryTokens: number;
  /** From here on it was computed for a draft; `null`: nothing was. */
  readonly draftFrom: number | null;
  readonly use: DecayedUse;
}

/** Of a sequence that holds nothing. */
export const nobody: Holding = {
  role: "side",
  conversationId: "",
  owners: [],
  keptTokens: 0,
  boundaryTokens: 0,
  draftFrom: null,
  use: firstUse(0),
};

/** What a conversation computed first that is there no more is of whoever holds it. */
export function disowned(holding: Holding, conversationId: string): Holding {
  const own = holding.conversationId;
  const owners = holding.owners.map((span) => (span.owner === conversationId ? { ...span, owner: own } : span));
  return { ...holding, owners: joinOwners(owners) };
}
