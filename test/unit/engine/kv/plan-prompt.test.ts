import fc from "fast-check";
import { expect, test } from "vitest";
import { restoreEnd } from "../../../../src-main/engine/kv/plan-prompt.ts";

test("a restore without steps goes to its end", () => {
  expect(restoreEnd(256, 5_000)).toBe(5_000);
});

test("steps reach the end, none is longer than asked for, and none is a short rest", () => {
  const positions = fc.tuple(fc.nat(5_000), fc.integer({ min: 1, max: 5_000 }), fc.integer({ min: 1, max: 2_000 }));
  fc.assert(
    fc.property(positions, ([from, tokens, stepTokens]) => {
      const steps: number[] = [];
      for (let at = from; at < from + tokens;) {
        const end = restoreEnd(at, from + tokens, stepTokens);
        steps.push(end - at);
        at = end;
      }
      expect(steps.reduce((sum, step) => sum + step, 0)).toBe(tokens);
      expect(Math.max(...steps)).toBeLessThanOrEqual(stepTokens);
      expect(steps.at(-1)).toBeGreaterThanOrEqual(Math.floor(tokens / steps.length));
    }),
  );
});
