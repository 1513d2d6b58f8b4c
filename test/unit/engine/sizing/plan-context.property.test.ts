import fc from "fast-check";
import { expect, test } from "vitest";
import { largestContext, planContext, type ContextFacts } from "../../../../src-main/engine/sizing/plan-context.ts";

const tokens = fc.integer({ min: 256, max: 300_000 });
const bytes = fc.integer({ min: 0, max: 2 ** 36 });

/** A context that is there is one that could have been made. */
const anyFacts: fc.Arbitrary<ContextFacts> = fc
  .record({
    trainedTokens: tokens,
    limitTokens: fc.option(tokens),
    currentTokens: fc.oneof(fc.constant(0), tokens),
    neededTokens: fc.integer({ min: 0, max: 400_000 }),
    bytesPerToken: fc.integer({ min: 0, max: 2 ** 20 }),
    fixedBytes: fc.integer({ min: 0, max: 2 ** 30 }),
    freeBytes: bytes,
    reserveBytes: fc.integer({ min: 0, max: 2 ** 32 }),
  })
  .map((facts) => {
    const most = Math.min(facts.trainedTokens, facts.limitTokens ?? Infinity);
    return { ...facts, currentTokens: Math.min(facts.currentTokens, most) };
  });

test("never beyond what the model was trained for, or the limit; never smaller than it was", () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const planned = planContext(facts);
      expect(planned).toBeLessThanOrEqual(Math.min(facts.trainedTokens, facts.limitTokens ?? Infinity));
      expect(planned).toBeGreaterThanOrEqual(Math.max(1, facts.currentTokens));
      expect(planned).toBeLessThanOrEqual(largestContext(facts));
    }),
  );
});

test("a multiple of 256, unless the model, the limit or what there was is none", () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const planned = planContext(facts);
      const odd = [facts.trainedTokens, facts.limitTokens, facts.currentTokens];
      expect(planned % 256 === 0 || odd.includes(planned)).toBe(true);
    }),
  );
});

test("the reserve stays free, whatever is planned beyond what there is and the smallest", () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { currentTokens, bytesPerToken, fixedBytes, freeBytes, reserveBytes } = facts;
      const planned = planContext(facts);
      if (planned <= Math.max(currentTokens, 2_048)) return;
      const fixed = currentTokens > 0 ? 0 : fixedBytes;
      expect(freeBytes - (planned - currentTokens) * bytesPerToken - fixed).toBeGreaterThanOrEqual(reserveBytes);
    }),
  );
});

test("it changes only to hold what has to fit, and then at least doubles where it may", () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const { currentTokens, neededTokens } = facts;
      const planned = planContext(facts);
      if (currentTokens === 0 || planned === currentTokens) return;
      expect(neededTokens).toBeGreaterThan(currentTokens);
      expect(planned).toBeGreaterThanOrEqual(neededTokens);
      expect(planned === largestContext(facts) || planned >= 2 * currentTokens).toBe(true);
    }),
  );
});

test("more free memory never means a smaller context", () => {
  fc.assert(
    fc.property(anyFacts, bytes, (facts, more) => {
      const roomier = { ...facts, freeBytes: facts.freeBytes + more };
      expect(planContext(roomier)).toBeGreaterThanOrEqual(planContext(facts));
    }),
  );
});
