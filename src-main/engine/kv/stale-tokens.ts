import { fingerprint, type FingerprintParts } from "./fingerprint.ts";
import type { KvStore } from "./kv-store.ts";

/** The longest beginning of a prompt that is stored for the same weights, but under other settings or by another release. */
export function staleTokens(
  tokens: readonly number[],
  parts: FingerprintParts,
  store: Pick<KvStore, "fingerprints" | "chainsOf">,
): number {
  const current = fingerprint(parts);
  const others = [...store.fingerprints].filter(
    ([other, known]) => other !== current && known.parts.weights === parts.weights,
  );
  return Math.max(0, ...others.map(([other]) => store.chainsOf(other).longest(tokens)));
}
