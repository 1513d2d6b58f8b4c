import type { Base, StoredPrefix } from "./choose-base.ts";
import { joinOwners, ownersBetween, tokensOwnedBy, type OwnedSpan } from "./token-owners.ts";

/** Where a prompt's tokens come from. Together they are the prompt; each token counts once. */
interface TokenOrigins {
  /** In place, and computed by the same owner. */
  readonly fromResident: number;
  /** In place or restored, but first computed by another conversation or branch. */
  readonly fromShared: number;
  /** Restored, and computed by the same owner. */
  readonly fromStore: number;
  readonly toCompute: number;
}

export interface PromptOrigins {
  readonly origins: TokenOrigins;
  /** The owners of all tokens of the prompt, once it is computed. */
  readonly owners: readonly OwnedSpan[];
}

export function promptOrigins(
  base: Base,
  stored: StoredPrefix | null,
  { owner, promptTokens }: { readonly owner: string; readonly promptTokens: number },
): PromptOrigins {
  const { inPlace, restore, length } = base;
  const held = ownersBetween(inPlace?.resident.owners ?? [], 0, inPlace?.length ?? 0);
  const restored = restore === null ? [] : ownersBetween(stored?.owners ?? [], restore.from, restore.to);
  const fromResident = tokensOwnedBy(owner, held);
  const fromStore = tokensOwnedBy(owner, restored);
  const toCompute = promptTokens - length;
  return {
    origins: { fromResident, fromShared: length - fromResident - fromStore, fromStore, toCompute },
    owners: joinOwners(held, restored, [{ owner, tokens: toCompute }]),
  };
}
