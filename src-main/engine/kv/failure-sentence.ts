import type { StoreFailure } from "./store-problem.ts";

/** Why the store cannot be used, and what comes of it. */
export function failureSentence({ reason }: Pick<StoreFailure, "reason">): string {
  return sentences[reason];
}

const sentences: Readonly<Record<StoreFailure["reason"], string>> = {
  "disk-full": "The disk is full. Conversations that leave memory are computed again until there is room.",
  "read-only": "The cache file cannot be written. Conversations that leave memory are computed again.",
  newer:
    "The cache file is from a newer Reprise and was left as it is. Conversations that leave memory are computed again.",
  foreign:
    "The cache file belongs to another program and was left as it is. Conversations that leave memory are computed again.",
  busy: "Another program holds the cache file. Conversations that leave memory are computed again until it lets go.",
  damaged: "The cache file was damaged and is begun anew. What was in it is computed again.",
  "over-budget": "The cache's budget is used up by what cannot be removed.",
  "too-large": "A block was too large for the cache file.",
  orphan: "A block lost what it stood on. It is computed again.",
  other: "The cache file cannot be used now. Conversations that leave memory are computed again.",
};
