/**
 * Whether stored keys and values belong to what is loaded now. llama.cpp does not ask: a state of another quantization
 * of the same architecture loads without a word and answers wrongly.
 */
import { hash } from "node:crypto";

/** 64 hexadecimal digits. */
export type Fingerprint = string;

/** All that gives the same tokens other keys and values. */
export interface FingerprintParts {
  /** See weightsHash. */
  readonly weights: string;
  /** Of the library and of llama.cpp: kernels and the layout of a state may change with either. */
  readonly release: string;
  /** What computes: `cpu`, `cuda`, `metal`, `vulkan`. They round differently, and none of that is reused silently. */
  readonly backend: string;
  /** Types of the cache, as llama.cpp names them (`f16`, `q8_0`). */
  readonly keyType: string;
  readonly valueType: string;
  readonly rope: RopeSettings;
  readonly loras: readonly LoraPart[];
  /** Whether quantized keys and values may be rotated; a state does not record it. See attentionRotation. */
  readonly attentionRotation: boolean;
  /**
   * `null` for models whose state is cut into blocks by token: those serve both layouts of values. Whole snapshots are
   * kept as llama.cpp wrote them, and load only into a context with the same layout.
   */
  readonly snapshotValues: "by-row" | "by-column" | null;
}

export interface RopeSettings {
  /** `null`: as the model file says. */
  readonly frequencyBase: number | null;
  readonly frequencyScale: number | null;
  /** See ropeFactors. */
  readonly factors: "long" | "short" | null;
}

interface LoraPart {
  /** See weightsHash. */
  readonly weights: string;
  readonly scale: number;
}

/**
 * Flash attention is left out on purpose. It does not change what a cell means, only how the next ones are rounded,
 * like another chunk size does; and blocks hold values by token, which both layouts are made from. A conversation that
 * is taken on under the other setting goes on as one whose cells were in place while the setting was switched.
 */
export function fingerprint(parts: FingerprintParts): Fingerprint {
  return hash("sha256", JSON.stringify(inOrder(parts)), "hex");
}

/** Which parts differ: why blocks of equal tokens could not be used. */
export function changedParts(before: FingerprintParts, after: FingerprintParts): (keyof FingerprintParts)[] {
  const [first, second] = [inOrder(before), inOrder(after)];
  return first.flatMap(([name, value], index) =>
    JSON.stringify(value) === JSON.stringify(second[index]?.[1]) ? [] : [name],
  );
}

/** llama.cpp reads this variable as a number, and anything else as 0. */
export function attentionRotation(environment: Readonly<Record<string, string | undefined>>): boolean {
  return (Number.parseInt(environment["LLAMA_ATTN_ROT_DISABLE"] ?? "0", 10) || 0) === 0;
}

/** The order in which the parts were written down by whoever made them must not matter. */
function inOrder(parts: FingerprintParts) {
  const { frequencyBase, frequencyScale, factors } = parts.rope;
  return [
    ["weights", parts.weights],
    ["release", parts.release],
    ["backend", parts.backend],
    ["keyType", parts.keyType],
    ["valueType", parts.valueType],
    ["rope", [frequencyBase, frequencyScale, factors]],
    ["loras", parts.loras.map(({ weights, scale }) => [weights, scale])],
    ["attentionRotation", parts.attentionRotation],
    ["snapshotValues", parts.snapshotValues],
  ] as const satisfies readonly (readonly [keyof FingerprintParts, unknown])[];
}
