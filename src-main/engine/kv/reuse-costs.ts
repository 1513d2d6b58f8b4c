/** What getting tokens into place costs on this machine, as measured. */
export interface ReuseCosts {
  /** The same for each token, plus what each token before it adds: attention looks at all of them. */
  readonly prefill: { readonly msPerToken: number; readonly msPerTokenAndDepth: number };
  readonly restore: { readonly fixedMs: number; readonly msPerToken: number };
}

/** Computing the tokens at positions [from, to), in milliseconds: the sum of msPerToken + msPerTokenAndDepth · position. */
export function prefillMs({ prefill }: ReuseCosts, from: number, to: number): number {
  return prefill.msPerToken * (to - from) + (prefill.msPerTokenAndDepth * (to * (to - 1) - from * (from - 1))) / 2;
}

/** Reading so many tokens from the store and loading them, in milliseconds. */
export function restoreMs({ restore }: ReuseCosts, tokens: number): number {
  return restore.fixedMs + restore.msPerToken * tokens;
}
