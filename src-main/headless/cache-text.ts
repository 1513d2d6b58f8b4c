import type { CacheState } from "../contract/cache.ts";
import { formatSize, oneLine } from "./text-format.ts";

/** A line for each thing there is to say. */
export function renderCacheState({ cells, store, residency, shortfalls }: CacheState): string {
  const stored = residency.filter(({ storedBytes }) => storedBytes > 0).length;
  const again = Object.entries(shortfalls).filter(([, tokens]) => tokens > 0);
  return [
    `In place:  ${cells === null ? "no model is loaded" : `${cells.active + cells.parked} of ${cells.total} tokens`}`,
    ...(store.blocks === 0
      ? [`Stored:    nothing, of ${formatSize(store.budgetBytes)} there may be`]
      : [
          `Stored:    ${count(store.tokens, "token")} of ${count(stored, "conversation")} in ${count(store.blocks, "block")}, ${formatSize(store.usedBytes)} of ${formatSize(store.budgetBytes)}`,
          `Shared:    ${count(store.sharedBlocks, "block")}, which saves ${formatSize(store.savedBySharingBytes)}`,
        ]),
    `Written:   ${formatSize(store.writtenBytes)}; ${formatSize(store.pendingBytes)} waiting`,
    ...(again.length === 0
      ? []
      : [`Again:     ${again.map(([reason, tokens]) => `${count(tokens, "token")} ${reason}`).join(", ")}`]),
    ...(store.isEnabled ? [] : ["Storing is switched off."]),
    ...(store.startedAnew === null ? [] : [startedAnew[store.startedAnew]]),
    ...(store.failure === null ? [] : [`Cannot be used now: ${oneLine(store.failure)}`]),
  ].join("\n");
}

const startedAnew: Readonly<Record<NonNullable<CacheState["store"]["startedAnew"]>, string>> = {
  damaged: "The cache file was damaged, so a new one was begun. What it held is computed again when it is needed.",
  older:
    "The cache file was from an older Reprise, so a new one was begun. What it held is computed again when it is needed.",
};

function count(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? "" : "s"}`;
}
