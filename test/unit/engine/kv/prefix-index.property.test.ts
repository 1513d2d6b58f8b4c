import fc from "fast-check";
import { expect, test } from "vitest";
import { commonPrefixLength } from "../../../../src-main/engine/cache/reusable-tokens.ts";
import { PrefixIndex } from "../../../../src-main/engine/kv/prefix-index.ts";

type Tier = "place" | "store";
interface Holder {
  readonly name: string;
  readonly tier: Tier;
}

const holders: readonly Holder[] = ["a", "b", "c", "d", "e"].map((name, index) => ({
  name,
  tier: index < 2 ? "place" : "store",
}));
const holder = fc.constantFrom(...holders);
/** Few different tokens, so that many share a beginning; and runs, so that edges are long. */
const tokens = fc
  .array(fc.tuple(fc.nat({ max: 2 }), fc.integer({ min: 1, max: 4 })), { maxLength: 6 })
  .map((runs) => runs.flatMap(([token, count]) => Array.from({ length: count }, () => token)));

type Command =
  | { kind: "insert" | "extend"; holder: Holder; tokens: number[] }
  | { kind: "truncate"; holder: Holder; length: number }
  | { kind: "remove"; holder: Holder };
const commands: fc.Arbitrary<Command[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom("insert" as const, "extend" as const), holder, tokens }),
    fc.record({ kind: fc.constant("truncate" as const), holder, length: fc.nat({ max: 16 }) }),
    fc.record({ kind: fc.constant("remove" as const), holder }),
  ),
  { maxLength: 30 },
);

/** The same by comparing with every holder. */
function execute(command: Command, index: PrefixIndex<Holder, Tier>, lists: Map<Holder, number[]>): void {
  const own = lists.get(command.holder);
  switch (command.kind) {
    case "insert":
      index.insert(command.tokens, command.holder);
      lists.set(command.holder, command.tokens);
      return;
    case "extend":
      index.extend(command.holder, command.tokens);
      lists.set(command.holder, [...(own ?? []), ...command.tokens]);
      return;
    case "truncate":
      index.truncate(command.holder, command.length);
      if (own !== undefined) lists.set(command.holder, own.slice(0, command.length));
      return;
    case "remove":
      index.remove(command.holder);
      lists.delete(command.holder);
      return;
  }
}

function distinctPrefixes(lists: Iterable<readonly number[]>): number {
  const prefixes = [...lists].flatMap((list) => list.map((_, position) => list.slice(0, position + 1).join()));
  return new Set(prefixes).size;
}

test("whatever comes and goes, the index says what comparing with every holder says", () => {
  fc.assert(
    fc.property(commands, fc.array(tokens, { minLength: 1, maxLength: 4 }), (sequence, prompts) => {
      const index = new PrefixIndex<Holder, Tier>(({ tier }) => tier);
      const lists = new Map<Holder, number[]>();
      for (const command of sequence) {
        execute(command, index, lists);
        expect(index.tokenCount).toBe(distinctPrefixes(lists.values()));
        expect(index.holderCount).toBe(lists.size);
        expect(index.lengthOf(command.holder)).toBe(lists.get(command.holder)?.length ?? null);
      }
      for (const prompt of [...prompts, ...lists.values()]) {
        const expected = [...lists]
          .map(([name, list]) => ({ holder: name, length: commonPrefixLength(list, prompt) }))
          .filter(({ length }) => length > 0);
        const found = [...index.matches(prompt)];
        expect(new Set(found.map(({ holder: { name }, length }) => `${name}: ${length}`))).toEqual(
          new Set(expected.map(({ holder: { name }, length }) => `${name}: ${length}`)),
        );
        expect(found).toHaveLength(expected.length);
        expect(found.map(({ length }) => length)).toEqual(found.map(({ length }) => length).sort((a, b) => b - a));
        for (const tier of ["place", "store"] as const) {
          const longest = Math.max(
            0,
            ...expected.filter((match) => match.holder.tier === tier).map(({ length }) => length),
          );
          expect(index.longest(prompt, { tier })?.length ?? 0).toBe(longest);
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("in whatever order holders come and go, at the end nothing is left", () => {
  fc.assert(
    fc.property(commands, (sequence) => {
      const index = new PrefixIndex<Holder, Tier>(({ tier }) => tier);
      const lists = new Map<Holder, number[]>();
      for (const command of sequence) execute(command, index, lists);
      for (const name of holders) index.remove(name);
      expect(index.tokenCount).toBe(0);
      expect([...index.matches([0, 1, 2])]).toEqual([]);
    }),
  );
});
