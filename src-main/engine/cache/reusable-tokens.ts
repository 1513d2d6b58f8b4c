/** How far back the cells of a model can be taken. */
export type ResumeRule =
  /** Every layer keeps every token: to any length. */
  | { readonly kind: "anywhere" }
  /** Some layers keep only the last tokens: no further than a whole window still is in place. */
  | { readonly kind: "within-window"; readonly windowTokens: number }
  /** A state that cannot be taken back at all (recurrent layers): only going on at the very end. */
  | { readonly kind: "only-at-end" };

export interface Reuse {
  readonly resident: readonly number[];
  readonly prompt: readonly number[];
  /** The first position whose keys and values are all in place; `null` when there are none. */
  readonly firstPosition: number | null;
  readonly rule: ResumeRule;
}

/**
 * How many tokens of the prompt need not be computed again, because the cells hold exactly them. At least one token is
 * always left: its logits choose the answer's first token.
 */
export function reusableTokens({ resident, prompt, firstPosition, rule }: Reuse): number {
  const equal = Math.min(commonPrefixLength(resident, prompt), prompt.length - 1);
  if (equal === resident.length) return equal;
  switch (rule.kind) {
    case "anywhere":
      return equal;
    case "within-window":
      return (firstPosition ?? 0) <= Math.max(0, equal - rule.windowTokens) ? equal : 0;
    case "only-at-end":
      return 0;
  }
}

export function commonPrefixLength(a: readonly number[], b: readonly number[]): number {
  const limit = Math.min(a.length, b.length);
  let length = 0;
  while (length < limit && a[length] === b[length]) length += 1;
  return length;
}
