import { firstUse } from "../../src-main/engine/kv/decayed-use.ts";
import type { Resident } from "../../src-main/engine/kv/resident.ts";

/** Token ids that count up: `tokens(3)` is 0, 1, 2, and `tokens(3, 7)` is 7, 8, 9. */
export function tokens(length: number, first = 0): number[] {
  return Array.from({ length }, (_, index) => first + index);
}

/** A chat's sequence that nothing is stored of. */
export function resident(sequence: number, ids: readonly number[], overrides: Partial<Resident> = {}): Resident {
  return {
    sequence,
    role: "chat",
    conversationId: "chat",
    tokens: ids,
    owners: [{ owner: "chat", tokens: ids.length }],
    keptTokens: ids.length,
    storedTokens: 0,
    firstPosition: 0,
    use: firstUse(0),
    isPinned: false,
    ...overrides,
  };
}
