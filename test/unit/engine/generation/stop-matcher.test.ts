import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StopMatcher } from "../../../../src-main/engine/generation/stop-matcher.ts";

describe("a stop string", () => {
  test("is found across pieces, and what stands before it is counted", () => {
    const stops = new StopMatcher(["\nUser:"]);
    expect(stops.push("Yes.\nUs")).toBeNull();
    expect(stops.push("er: and")).toBe("Yes.".length);
  });

  test("that repeats its own beginning is still found", () => {
    expect(new StopMatcher(["aab"]).push("aaab")).toBe(1);
  });

  test("counts as met when it is complete, though a longer one began earlier", () => {
    expect(new StopMatcher(["abcd", "bc"]).push("abcd")).toBe(1);
  });

  test("gives way to a longer one that ends at the same place", () => {
    expect(new StopMatcher(["c", "abc"]).push("xabc")).toBe(1);
  });

  test("that is empty or half a character stops nothing", () => {
    expect(new StopMatcher(["", "\ude00"]).push("a😀")).toBeNull();
  });
});

describe("held text", () => {
  test("is what could still become a stop string", () => {
    const stops = new StopMatcher(["<end>", "STOP"]);
    stops.push("text <en");
    expect(stops.heldLength).toBe("<en".length);
    stops.push("ormous>");
    expect(stops.heldLength).toBe(0);
  });

  test("is nothing without stop strings", () => {
    const stops = new StopMatcher([]);
    stops.push("text");
    expect(stops.heldLength).toBe(0);
  });
});

/** The same by looking at every end in turn. */
function firstStop(text: string, stops: readonly string[]): number | null {
  for (let end = 1; end <= text.length; end += 1) {
    const lengths = stops.filter((stop) => text.slice(0, end).endsWith(stop)).map((stop) => stop.length);
    if (lengths.length > 0) return end - Math.max(...lengths);
  }
  return null;
}

test("the place found does not depend on how the text was cut", () => {
  const few = fc.string({ unit: fc.constantFrom("a", "b", "c"), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(few, { maxLength: 10 }), fc.array(few, { maxLength: 3 }), (pieces, stopStrings) => {
      const stops = new StopMatcher(stopStrings);
      const found = pieces.reduce<number | null>((place, piece) => place ?? stops.push(piece), null);
      expect(found).toBe(firstStop(pieces.join(""), stopStrings));
    }),
    { numRuns: 2_000 },
  );
});
