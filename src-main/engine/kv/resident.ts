import type { ResumeRule } from "../cache/reusable-tokens.ts";
import { reusableTokens } from "../cache/reusable-tokens.ts";
import { activeSequence } from "./cell-ledger.ts";
import type { DecayedUse } from "./decayed-use.ts";
import type { OwnedSpan } from "./token-owners.ts";

/** A sequence that holds cells: what they are of. */
export interface Resident {
  readonly sequence: number;
  /** `side`: a title, a summary: nothing of it is worth keeping. */
  readonly role: "chat" | "side";
  readonly conversationId: string;
  /** As many as its cells. */
  readonly tokens: readonly number[];
  readonly owners: readonly OwnedSpan[];
  /** How many of its tokens are worth keeping: not a draft being typed, nor thoughts that the template takes out. */
  readonly keptTokens: number;
  /** How many of its tokens the store holds, or has taken to write. */
  readonly storedTokens: number;
  /** See reusable-tokens.ts. */
  readonly firstPosition: number | null;
  readonly use: DecayedUse;
  /** Generating, or needed for the turn: stays whatever happens. */
  readonly isPinned: boolean;
}

export interface ResidentPrefix {
  readonly resident: Resident;
  /** How many of the prompt's tokens can be gone on from; at least one, and never all. */
  readonly length: number;
}

/**
 * The sequence in place that a prompt can go on from the furthest. Of equal ones the active sequence, which needs no
 * copy, then the one used last.
 */
export function longestPrefix(
  prompt: readonly number[],
  residents: readonly Resident[],
  rule: ResumeRule,
): ResidentPrefix | null {
  const [best] = residents
    .map((resident) => {
      const { tokens, firstPosition } = resident;
      return { resident, length: reusableTokens({ resident: tokens, prompt, firstPosition, rule }) };
    })
    .filter(({ length }) => length > 0)
    .sort(
      (a, b) =>
        b.length - a.length ||
        Number(b.resident.sequence === activeSequence) - Number(a.resident.sequence === activeSequence) ||
        b.resident.use.atMs - a.resident.use.atMs,
    );
  return best ?? null;
}
