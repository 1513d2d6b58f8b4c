/** What main and the reading worker say to each other. */
import type { ModelFacts } from "../contract/model-library.ts";

/** `hash` takes one step of a file's hash: from the file's beginning, where it is another file than the last time. */
export type ReaderRequest =
  | { readonly id: number; readonly kind: "read"; readonly path: string }
  | { readonly id: number; readonly kind: "hash"; readonly path: string; readonly isFirst: boolean };

export type ReaderAnswer =
  | { readonly id: number; readonly kind: "read"; readonly facts: ModelFacts }
  /** `null` until the last step. */
  | { readonly id: number; readonly kind: "hash"; readonly sha256: string | null }
  | { readonly id: number; readonly kind: "failed"; readonly code: string | null; readonly detail: string };
