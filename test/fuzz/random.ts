export interface Random {
  /** A whole number from 0 on; 0 where nothing is below. */
  below(limit: number): number;
  pick<T>(values: readonly T[]): T;
}

/** The same for the same seed, on every machine (Tommy Ettinger's Mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    const first = Math.imul(state ^ (state >>> 15), 1 | state);
    const second = (first + Math.imul(first ^ (first >>> 7), 61 | first)) ^ first;
    return ((second ^ (second >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * Math.max(1, limit));
  return {
    below,
    pick: (values) => {
      const value = values[below(values.length)];
      if (value === undefined) throw new Error("There is nothing to pick from.");
      return value;
    },
  };
}
