import { firstUse, type DecayedUse } from "./decayed-use.ts";
import type { Resident } from "./resident.ts";
import type { OwnedSpan } from "./token-owners.ts";

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
