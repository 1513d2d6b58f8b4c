/** How many tokens the context has, from what a conversation needs and what memory is free. Sizes are in tokens. */

export interface ContextFacts {
  /** What the model was trained for. */
  readonly trainedTokens: number;
  /** Never more than this either; `null`: nothing else limits it. */
  readonly limitTokens: number | null;
  /** Of the context that is there; 0: there is none. */
  readonly currentTokens: number;
  /** What has to fit: a prompt and room for its answer. 0: nothing has to yet. */
  readonly neededTokens: number;
  /** What a context takes for each token, and however few it has. */
  readonly bytesPerToken: number;
  readonly fixedBytes: number;
  /** While the context that is there takes its part. */
  readonly freeBytes: number;
  /** What must stay free for the rest of the machine. */
  readonly reserveBytes: number;
}

const step = 256;
/** Room for most conversations. More is taken when one needs it. */
export const comfortableTokens = 8_192;
/** However short memory is: with less nothing can be talked about, and that it does not fit shows when it is made. */
const leastTokens = 2_048;

/** The largest context a conversation could have; never less than there is. */
export function largestContext(facts: ContextFacts): number {
  const { currentTokens, bytesPerToken } = facts;
  const most = mostTokens(facts);
  const least = currentTokens > 0 ? currentTokens : Math.min(leastTokens, most);
  const fitting = Math.floor(spareBytes(facts) / Math.max(1, bytesPerToken) / step) * step;
  return Math.max(least, Math.min(most, fitting));
}

/** What is missing for the cells of a context of so many tokens; 0: nothing. */
export function missingBytes(facts: Omit<ContextFacts, "neededTokens">, tokens: number): number {
  return Math.max(0, tokens * facts.bytesPerToken - spareBytes(facts));
}

/** For cells. */
function spareBytes({
  currentTokens,
  bytesPerToken,
  fixedBytes,
  freeBytes,
  reserveBytes,
}: Omit<ContextFacts, "neededTokens">): number {
  // What is there is given back, its buffers included.
  const ownBytes = currentTokens > 0 ? currentTokens * bytesPerToken + fixedBytes : 0;
  return freeBytes + ownBytes - reserveBytes - fixedBytes;
}

/**
 * How large the context should be. At first it is comfortable, or smaller where memory is short. One that is too small
 * is at least doubled as far as memory and model allow, so that it is seldom made anew; one that could not be made large
 * enough stays as it is.
 */
export function planContext(facts: ContextFacts): number {
  const { currentTokens, neededTokens } = facts;
  const needed = Math.ceil(neededTokens / step) * step;
  const largest = largestContext(facts);
  if (currentTokens === 0) return Math.min(largest, Math.max(comfortableTokens, needed));
  if (neededTokens <= currentTokens || neededTokens > largest) return currentTokens;
  return Math.min(largest, Math.max(2 * currentTokens, needed));
}

/** The smallest context that is ever made for a model. */
export function smallestContext(facts: Pick<ContextFacts, "trainedTokens" | "limitTokens">): number {
  return Math.min(leastTokens, mostTokens(facts));
}

function mostTokens({ trainedTokens, limitTokens }: Pick<ContextFacts, "trainedTokens" | "limitTokens">): number {
  return Math.min(trainedTokens, limitTokens ?? Infinity);
}
