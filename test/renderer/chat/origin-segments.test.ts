import { describe, expect, test } from "vitest";
import { originSegments } from "../../../src-renderer/chat/origin-segments.ts";

describe("the origin bar", () => {
  test("divides a turn into what was reused, computed and generated, in this order", () => {
    expect(originSegments({ fromResident: 60, prefilled: 20, outputTokens: 20 })).toEqual([
      { origin: "resident", tokens: 60, fraction: 0.6 },
      { origin: "computed", tokens: 20, fraction: 0.2 },
      { origin: "generated", tokens: 20, fraction: 0.2 },
    ]);
  });

  test("leaves out what had no tokens", () => {
    expect(originSegments({ fromResident: 0, prefilled: 5, outputTokens: 0 })).toEqual([
      { origin: "computed", tokens: 5, fraction: 1 },
    ]);
  });

  test("is empty for a turn that ended before its first token", () => {
    expect(originSegments({ fromResident: 0, prefilled: 0, outputTokens: 0 })).toEqual([]);
  });
});
