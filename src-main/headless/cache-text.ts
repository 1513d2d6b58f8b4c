import type { CacheState } from "../contract/cache.ts";
import { formatSize, oneLine } from "./text-format.ts";

/** A line for each thing there is to say. */
export function renderCacheState({ cells, store, residency, shortfalls }: CacheState): string {
  const stored = residency.filter(({ storedBytes }) => storedBytes > 0).length;
  const again = Object.entries(shortfalls).filter(([, tokens]) => tokens > 0);
  return [
    `In place:  ${cells === null ? "no model is loaded" : `${cells.active + cells.parked} of ${cells.total} tokens`}`,
    `Stored:    ${count(store.tokens, "token")} of ${count(stored, "conversation")} in ${count(store.blocks, "block")}, ${formatSize(store.usedBytes)} of ${formatSize(store.budgetBytes)}`,
    `Shared:    ${count(store.sharedBlocks, "block")}, which saves ${formatSize(store.savedBySharingBytes)}`,
    `Written:   ${formatSize(store.writtenBytes)}; ${formatSize(store.pendingBytes)} waiting`,
    ...(again.length === 0
      ? []
      : [`Again:     ${again.map(([reason, tokens]) => `${count(tokens, "token")} ${reason}`).join(", ")}`]),
    ...(store.isEnabled ? [] : ["Storing is switched off."]),
    ...(store.failure === null ? [] : [`Cannot be used now: ${oneLine(store.failure)}`]),
  ].join("\n");
}

function count(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? "" : "s"}`;
}
