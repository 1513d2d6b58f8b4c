/** Who computed tokens first, span behind span from the first token on. */
export interface OwnedSpan {
  /** Names a conversation or one of its branches; equal names are one owner. */
  readonly owner: string;
  readonly tokens: number;
}

/** Of tokens that no span covers. */
const unknownOwner = "unknown";

/** The owners of the tokens at [from, to). */
export function ownersBetween(spans: readonly OwnedSpan[], from: number, to: number): OwnedSpan[] {
  const covered = spans.reduce((sum, { tokens }) => sum + tokens, 0);
  let start = 0;
  return [...spans, { owner: unknownOwner, tokens: Math.max(0, to - covered) }].flatMap(({ owner, tokens }) => {
    const end = start + tokens;
    const count = Math.min(end, to) - Math.max(start, from);
    start = end;
    return count > 0 ? [{ owner, tokens: count }] : [];
  });
}

/** Spans behind each other; neighbours of one owner are one span. */
export function joinOwners(...lists: readonly (readonly OwnedSpan[])[]): OwnedSpan[] {
  return lists.flat().reduce<OwnedSpan[]>((spans, { owner, tokens }) => {
    if (tokens === 0) return spans;
    const last = spans.at(-1);
    if (last?.owner !== owner) return [...spans, { owner, tokens }];
    return [...spans.slice(0, -1), { owner, tokens: last.tokens + tokens }];
  }, []);
}

export function tokensOwnedBy(owner: string, spans: readonly OwnedSpan[]): number {
  return spans.reduce((sum, span) => sum + (span.owner === owner ? span.tokens : 0), 0);
}
