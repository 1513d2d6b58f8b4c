import { afterEach, describe, expect, test } from "vitest";
import { formatMoment, formatMonth } from "../../../src-renderer/format/dates.ts";
import {
  formatBits,
  formatBytes,
  formatCompact,
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  formatRoughBytes,
  formatSeconds,
  formatWholeDuration,
} from "../../../src-renderer/format/numbers.ts";
import { overwriteGetLocale } from "../../../src-renderer/paraglide/runtime.js";

afterEach(() => {
  overwriteGetLocale(() => "en");
});

/** Spaces that do not break, as ordinary ones. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, " ");

describe("figures", () => {
  test.each([
    [0, "0 B"],
    [999, "999 B"],
    [1_000, "1.00 kB"],
    [98_362_432, "98.4 MB"],
    [2_497_000_000, "2.50 GB"],
    [604_000_000, "604 MB"],
    [5e15, "5,000 TB"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(plain(formatBytes(bytes))).toBe(text);
  });

  test.each([
    [0, "0 B"],
    [640, "640 B"],
    [391_000_000, "390 MB"],
    [999_600_000, "1.0 GB"],
    [2_497_000_000, "2.5 GB"],
    [12_800_000_000, "13 GB"],
  ])("about %d bytes are %s", (bytes, text) => {
    expect(plain(formatRoughBytes(bytes))).toBe(text);
  });

  test("large numbers are written in short, bits as far as they say something", () => {
    expect([134_500_000, 8_030_000_000, 30_500_000_000].map(formatCompact)).toEqual(["135M", "8.03B", "30.5B"]);
    expect([16, 8.5, 4.89].map(formatBits)).toEqual(["16", "8.5", "4.89"]);
    overwriteGetLocale(() => "de");
    expect(plain(formatCompact(8_030_000_000))).toBe("8,03 Mrd.");
  });

  test.each([
    [0, "0 ms"],
    [0.42, "0.4 ms"],
    [84.4, "84 ms"],
    [2_340, "2.3 s"],
    [14_200, "14 s"],
    [200_000, "3 min"],
  ])("%d milliseconds are %s", (milliseconds, text) => {
    expect(plain(formatDuration(milliseconds))).toBe(text);
  });

  test.each([
    [200, "1 s"],
    [6_600, "7 s"],
    [150_000, "3 min"],
    [7_200_000, "2 h"],
  ])("about %d milliseconds are %s", (milliseconds, text) => {
    expect(plain(formatWholeDuration(milliseconds))).toBe(text);
  });

  test("seconds and rates keep as many decimals as mean something", () => {
    expect([64, 2_340, 14_400].map(formatSeconds)).toEqual(["0.06", "2.3", "14"]);
    expect([32, 7.77, 1_234.5].map(formatRate)).toEqual(["32.0", "7.8", "1,235"]);
    expect(formatPercent(0.434)).toBe("43%");
  });

  test("are written as the reader's language writes them", () => {
    overwriteGetLocale(() => "de");
    expect(formatCount(12_345)).toBe("12.345");
    expect(plain(formatBytes(98_362_432))).toBe("98,4 MB");
    expect(plain(formatPercent(0.434))).toBe("43 %");
  });
});

describe("dates", () => {
  const time = new Date(2026, 10, 29, 14, 3).getTime();

  test("are written as the reader's language writes them", () => {
    expect(formatMonth(time)).toBe("November 2026");
    expect(plain(formatMoment(time))).toBe("November 29, 2026 at 2:03 PM");
    overwriteGetLocale(() => "de");
    expect(formatMoment(time)).toBe("29. November 2026 um 14:03");
  });
});
