import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { errorDataSchemas } from "../../../src-main/contract/errors.ts";

const renderer = join(import.meta.dirname, "../../../src-renderer");

function messages(locale: string): Record<string, string> {
  return JSON.parse(readFileSync(join(renderer, "messages", `${locale}.json`), "utf8")) as Record<string, string>;
}

const english = messages("en");
const german = messages("de");
const keys = Object.keys(english);

function placeholders(text: string | undefined): string[] {
  return Array.from((text ?? "").matchAll(/\{(\w+)\}/g), ([, name]) => name ?? "").sort();
}

/** Everything the page is made of, as one text. */
function sources(): string {
  return readdirSync(renderer, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(svelte|ts)$/.test(path) && !path.startsWith("paraglide"))
    .map((path) => readFileSync(join(renderer, path), "utf8"))
    .join("\n");
}

describe("messages", () => {
  test("are the same ones in both languages", () => {
    expect(Object.keys(german)).toEqual(keys);
  });

  test.each(keys)("%s says something, with the same parts, in both", (key) => {
    expect(english[key]?.trim()).not.toBe("");
    expect(german[key]?.trim()).not.toBe("");
    expect(placeholders(german[key])).toEqual(placeholders(english[key]));
  });

  test("are all used", () => {
    const used = new Set(Array.from(sources().matchAll(/\bm\.(\w+)/g), ([, key]) => key));
    expect(keys.filter((key) => !used.has(key))).toEqual([]);
  });

  test("exist for every error code", () => {
    const missing = Object.keys(errorDataSchemas).filter(
      (code) => !keys.some((key) => key.startsWith(`error_${code}`)),
    );
    expect(missing).toEqual([]);
  });
});
