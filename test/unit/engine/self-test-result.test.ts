import { describe, expect, test } from "vitest";
import { compareEndings } from "../../../src-main/engine/self-test-result.ts";

const ending = (...logits: number[]) => ({ logits: Float32Array.from(logits), choice: null });
const textOf = (token: number) => `token ${token}`;
const replayed = { isReplayed: true, textOf };

describe("logits of the same steps", () => {
  test("are the same up to a thousandth of the largest", () => {
    expect(compareEndings(ending(1, 8, -16), ending(1, 8, -16), replayed)).toEqual({
      verdict: "same",
      isSameChoice: true,
      maxDifference: 0,
      scale: 16,
      tie: null,
    });
    expect(compareEndings(ending(1, 8, -16), ending(1.015625, 8, -16), replayed).verdict).toBe("same");
    expect(compareEndings(ending(1, 8, -16), ending(1.03125, 8, -16), replayed).verdict).toBe("different");
  });

  test("are different also where they choose the same", () => {
    expect(compareEndings(ending(1, 8), ending(2, 8), replayed)).toMatchObject({
      verdict: "different",
      isSameChoice: true,
      maxDifference: 1,
      tie: null,
    });
    expect(compareEndings(ending(1, 8), ending(8, 1), replayed)).toMatchObject({ verdict: "different", tie: null });
  });

  test("choose differently only at a near tie, which is shown", () => {
    const result = compareEndings(ending(1, 16, 15.9921875), ending(1, 15.9921875, 16), replayed);
    expect(result).toMatchObject({
      verdict: "near-tie",
      isSameChoice: false,
      tie: {
        first: { text: "token 1", fresh: 16, restored: 15.9921875 },
        second: { text: "token 2", fresh: 15.9921875, restored: 16 },
        distance: 0.0078125,
      },
    });
  });

  test("show a tie also where both choose the same, and it is closer than the rounding", () => {
    const result = compareEndings(ending(16, 15.9921875, 3), ending(16, 15.984375, 3), replayed);
    expect(result).toMatchObject({ verdict: "same", isSameChoice: true, tie: { distance: 0.0078125 } });
    expect(compareEndings(ending(16, 15, 3), ending(16, 15.0078125, 3), replayed).tie).toBeNull();
    expect(compareEndings(ending(16, 16, 3), ending(16, 16, 3), replayed).tie).toMatchObject({
      first: { text: "token 0" },
      second: { text: "token 1" },
      distance: 0,
    });
  });
});

test("other steps excuse what rounding can do, and no more", () => {
  const other = { isReplayed: false, textOf };
  expect(compareEndings(ending(1, 16), ending(1.5, 16), other).verdict).toBe("rounded");
  expect(compareEndings(ending(1, 16), ending(2, 16), other).verdict).toBe("different");
  expect(compareEndings(ending(1, 16), ending(1, 16), other).verdict).toBe("same");
});

describe("without numbers to compare", () => {
  test("the choice decides", () => {
    const chose = (choice: number) => ({ logits: null, choice });
    const nothing = { maxDifference: null, scale: null, tie: null };
    expect(compareEndings(chose(3), chose(3), replayed)).toEqual({ verdict: "same", isSameChoice: true, ...nothing });
    expect(compareEndings(chose(3), chose(4), replayed)).toMatchObject({ verdict: "different", isSameChoice: false });
  });

  test("what is no number is different", () => {
    expect(compareEndings(ending(1, 2), ending(NaN, 2), replayed)).toMatchObject({
      verdict: "different",
      isSameChoice: false,
      maxDifference: null,
    });
  });
});
