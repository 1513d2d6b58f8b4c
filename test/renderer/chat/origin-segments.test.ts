import { describe, expect, test } from "vitest";
import { originExplanation, originName } from "../../../src-renderer/chat/origin-names.ts";
import { origins, originSegments, reusedTokens } from "../../../src-renderer/chat/origin-segments.ts";
import { sampleReport } from "../../helpers/sample-report.ts";

const nothing = { fromResident: 0, fromStore: 0, fromShared: 0, prefilled: 0, outputTokens: 0 };

describe("the origin bar", () => {
  test("divides a turn into what was shared, in place, stored, computed and generated, in this order", () => {
    const report = { fromShared: 10, fromResident: 40, fromStore: 10, prefilled: 20, outputTokens: 20 };
    expect(originSegments(report)).toEqual([
      { origin: "shared", tokens: 10, fraction: 0.1 },
      { origin: "resident", tokens: 40, fraction: 0.4 },
      { origin: "store", tokens: 10, fraction: 0.1 },
      { origin: "computed", tokens: 20, fraction: 0.2 },
      { origin: "generated", tokens: 20, fraction: 0.2 },
    ]);
  });

  test("leaves out what had no tokens", () => {
    expect(originSegments({ ...nothing, prefilled: 5 })).toEqual([{ origin: "computed", tokens: 5, fraction: 1 }]);
  });

  test("is empty for a turn that ended before its first token", () => {
    expect(originSegments(nothing)).toEqual([]);
  });

  test("has a name and an explanation of its own for every origin", () => {
    expect(new Set(origins.map(originName)).size).toBe(5);
    expect(new Set(origins.map(originExplanation)).size).toBe(5);
  });
});

test("every tier counts as reused", () => {
  expect(reusedTokens(sampleReport({ fromResident: 5, fromStore: 30, fromShared: 200 }))).toBe(235);
});
