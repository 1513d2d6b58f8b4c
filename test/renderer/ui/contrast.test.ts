import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";

const css = readFileSync(join(import.meta.dirname, "../../../src-renderer/app.css"), "utf8");

type Theme = "light" | "dark";

function colour(name: string, theme: Theme): string {
  const [, light, dark] = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css) ?? [];
  const value = theme === "light" ? light : dark;
  if (value === undefined) throw new Error(`There is no colour --${name}.`);
  return value;
}

/** Relative luminance by WCAG 2.2. */
function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((start) => {
    const channel = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

const grounds = ["canvas", "side", "surface", "raised", "bubble", "hover"] as const;

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  test.each(["ink", "muted"])("%s can be read on every ground", (text) => {
    for (const ground of grounds) {
      expect(contrast(colour(text, theme), colour(ground, theme)), ground).toBeGreaterThanOrEqual(4.5);
    }
  });

  test.each([
    ["faint", "canvas"],
    ["faint", "side"],
    ["faint", "surface"],
    ["faint", "raised"],
    ["faint", "bubble"],
    ["accent", "canvas"],
    ["accent", "surface"],
    ["accent", "bubble"],
    ["accent-ink", "accent"],
    ["danger", "raised"],
    ["danger", "surface"],
    ["danger", "hover"],
    ["danger-ink", "danger-fill"],
    ["ink", "danger-soft"],
    ["ink", "warning-soft"],
    ["muted", "line"],
  ])("%s can be read on %s", (text, ground) => {
    expect(contrast(colour(text, theme), colour(ground, theme))).toBeGreaterThanOrEqual(4.5);
  });

  test.each([
    "field-line",
    "origin-resident",
    "origin-shared",
    "origin-store",
    "origin-computed",
    "origin-generated",
    "memory-weights",
    "memory-compute",
    "other-1",
    "other-2",
    "other-3",
    "other-4",
  ])("%s can be told from the grounds it is drawn on", (mark) => {
    for (const ground of ["canvas", "surface"]) {
      expect(contrast(colour(mark, theme), colour(ground, theme)), ground).toBeGreaterThanOrEqual(3);
    }
  });
});
