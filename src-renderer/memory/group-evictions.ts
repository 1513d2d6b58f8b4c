import type { CacheState } from "../../src-main/contract/cache.ts";

type Eviction = CacheState["evictions"][number];

const sameSaveMs = 1_000;

/** Blocks go one by one; those that one save removed from one conversation are told together. Newest first. */
export function groupEvictions(evictions: readonly Eviction[]): readonly Eviction[] {
  const groups: Eviction[] = [];
  for (const eviction of evictions) {
    const last = groups.at(-1);
    if (last === undefined || !isSameSave(last, eviction)) groups.push(eviction);
    else {
      const tokens = last.tokens + eviction.tokens;
      groups.splice(-1, 1, { ...last, tokens, bytes: last.bytes + eviction.bytes });
    }
  }
  return groups;
}

function isSameSave(one: Eviction, other: Eviction): boolean {
  return (
    one.savedConversationId === other.savedConversationId &&
    one.conversationId === other.conversationId &&
    Math.abs(one.atMs - other.atMs) <= sameSaveMs
  );
}
