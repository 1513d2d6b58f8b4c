import { fingerprint, type FingerprintParts } from "./fingerprint.ts";
import type { KvStore } from "./kv-store.ts";

/**
 * How many of a prompt's first tokens the store has for a model that is not loaded. `parts`: as far as they are known
 * before; which of its RoPE factors a model takes, and how a snapshot's values lie, is taken to be as it was then.
 */
export function storedForFile(
  prompt: readonly number[],
  store: Pick<KvStore, "fingerprints" | "chainsOf" | "isEnabled">,
  parts: FingerprintParts,
): number {
  if (!store.isEnabled) return 0;
  const lengths = [...store.fingerprints].map(([stored, { parts: before }]) => {
    const { snapshotValues, rope } = before;
    const expected = { ...parts, snapshotValues, rope: { ...parts.rope, factors: rope.factors } };
    if (fingerprint(expected) !== stored) return 0;
    const chains = store.chainsOf(stored);
    const match = snapshotValues === null ? chains.chainFor(prompt) : chains.snapshotFor(prompt, prompt.length);
    return match?.length ?? 0;
  });
  return Math.max(0, ...lengths);
}
