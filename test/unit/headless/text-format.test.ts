import { expect, test } from "vitest";
import { formatReport, formatSize, oneLine, withoutControls } from "../../../src-main/headless/text-format.ts";
import { sampleReport } from "../../helpers/sample-report.ts";

test("what a model wrote cannot steer the terminal, and stays readable otherwise", () => {
  expect(withoutControls("a\u001b]0;title\u0007b\r\u009b31mc\u0000\u007f")).toBe("a]0;titleb31mc");
  expect(withoutControls("tabs\tand\nlines, Ελλάδα 数据 👩‍👩‍👧")).toBe("tabs\tand\nlines, Ελλάδα 数据 👩‍👩‍👧");
});

test("any text fits on one line", () => {
  expect(oneLine("  a\r\n\tb\u2028c\u0007 ")).toBe("a b c");
});

test("sizes are decimal", () => {
  expect([98_362_432, 999_999_999, 1_000_000_000].map(formatSize)).toEqual(["98.4 MB", "1000.0 MB", "1.0 GB"]);
});

test("a report names what was measured only", () => {
  const report = sampleReport({ outputTokens: 1, decodeTokensPerSecond: null, ttftMs: null, fromResident: 0 });
  expect(formatReport(report)).toBe("1 token");
});

test("a report names what was reused, and where it came from", () => {
  const reused = (changes: Parameters<typeof sampleReport>[0]) =>
    formatReport(sampleReport(changes)).split(", reused ")[1];
  expect(reused({ fromResident: 90 })).toBe("90 of 120");
  expect(reused({ fromResident: 10, fromStore: 60, fromShared: 20 })).toBe("90 of 120 (60 from the store, 20 shared)");
});

test("a report names the model where another one answered before", () => {
  const divergence = { kind: "model-switched", tokenIndex: 0, before: "", after: "", replaced: "" } as const;
  const model = { name: "Tiny\u001b[2J", level: "Q8_0", weightsHash: null };
  expect(formatReport(sampleReport({ divergence, model, fromResident: 0 }))).toMatch(/, switched to Tiny\[2J Q8_0$/);
  expect(formatReport(sampleReport({ model, fromResident: 0 }))).not.toContain("Tiny");
});
