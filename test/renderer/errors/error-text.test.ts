import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { errorDataSchemas, type ErrorCode, type ErrorData, type ErrorView } from "../../../src-main/contract/errors.ts";
import { errorText } from "../../../src-renderer/errors/error-text.ts";
import { overwriteGetLocale } from "../../../src-renderer/paraglide/runtime.js";

const samples: { readonly [Code in ErrorCode]: ErrorData<Code> } = {
  ALREADY_GENERATING: { conversationId: "c1" },
  ALREADY_RUNNING: { dataFolder: "/data", pid: 7 },
  CONNECTION_LOST: {},
  CONTEXT_FULL: { promptTokens: 9_000, contextTokens: 8_192 },
  DATABASE_NEWER: { path: "/data/reprise.db", found: 9, supported: 2 },
  ENGINE_CRASHED: { cause: "SIGABRT" },
  ENGINE_FAILED: { reason: "no candidate token" },
  ENGINE_STOPPED: {},
  FILE_EXISTS: { path: "/models/a.gguf" },
  FOLDER_UNWRITABLE: { path: "/data", reason: "EACCES" },
  HUB_FAILED: { reason: "no-repository", name: "someone/model", detail: "404", retryAfterSeconds: null },
  IMATRIX_NEEDED: { level: "IQ1_S" },
  INVALID_INPUT: { reason: "no text" },
  MODEL_FETCH_FAILED: { attempts: [{ source: "hub", reason: "offline" }] },
  MODEL_INVALID: { path: "/models/a b/c.gguf", reason: "it is no GGUF file." },
  MODEL_QUARANTINED: { path: "/models/odd.gguf", cause: "SIGSEGV" },
  MODEL_MISSING: { path: "/models/a.gguf" },
  OPTIONS_REFUSED: { problem: "adapter-missing", file: "pirate.gguf" },
  NOT_FOUND: { what: "message", id: "m1" },
  QUANTIZE_FAILED: { reason: "it was killed (SIGKILL)." },
  REQUANTIZE_LOSSY: { path: "/models/a.gguf", level: "Q8_0" },
  STORAGE_FAILED: { reason: "disk-full", detail: "ENOSPC" },
  TEMPLATE_FAILED: { reason: "unknown filter" },
  INTERNAL: { reason: "it broke" },
};

const codes = Object.keys(errorDataSchemas) as ErrorCode[];
const view = (code: string, data: unknown): ErrorView => ({ code, message: "What main said.", data });

describe("in English", () => {
  test("an error is what main said, which tells the most", () => {
    expect(errorText(view("ENGINE_FAILED", samples.ENGINE_FAILED))).toBe("What main said.");
  });

  test.each(codes)("%s has a text of its own where main said nothing", (code) => {
    const text = errorText({ code, message: "", data: samples[code] });
    expect(text).toMatch(/[.)]$/);
  });
});

describe("in German", () => {
  beforeEach(() => {
    overwriteGetLocale(() => "de");
  });
  afterEach(() => {
    overwriteGetLocale(() => "en");
  });

  test.each(codes)("%s is said in German, with its data", (code) => {
    const text = errorText(view(code, samples[code]));
    expect(text).not.toBe("What main said.");
    expect(text).not.toContain("error_");
    expect(text).not.toMatch(/undefined|\{|\.\./);
  });

  test.each([
    ["CONTEXT_FULL", samples.CONTEXT_FULL, "9.000"],
    ["MODEL_INVALID", samples.MODEL_INVALID, "„c.gguf“ lässt sich nicht als Modell benutzen: it is no GGUF file. Die"],
    ["HUB_FAILED", { reason: "rate-limited", name: "a/b", detail: "", retryAfterSeconds: null }, "ein paar Minuten"],
    ["MODEL_MISSING", { path: null }, "Standardmodell"],
    ["NOT_FOUND", { what: "download", id: "x" }, "Download"],
    ["NOT_FOUND", { what: "conversation", id: "x" }, "Unterhaltung"],
    ["OPTIONS_REFUSED", samples.OPTIONS_REFUSED, "Der LoRA-Adapter pirate.gguf ist nicht mehr"],
    ["OPTIONS_REFUSED", { problem: "cache-types-differ", file: "a.gguf" }, "a.gguf hält Schlüssel und Werte in einem"],
    ["STORAGE_FAILED", { reason: "read-only", detail: "x" }, "Datenordner"],
    ["STORAGE_FAILED", { reason: "corrupt", detail: "reprise.db.1" }, "reprise.db.1"],
    ["STORAGE_FAILED", { reason: "other", detail: "x" }, "gespeichert werden: x."],
  ])("%s %o", (code, data, part) => {
    expect(errorText(view(code, data))).toContain(part);
  });

  test.each([
    ["gated", "Bedingungen"],
    ["no-models", "GGUF"],
    ["rate-limited", "1.200 Sekunden"],
    ["unreachable", "zu erreichen: what happened. Alles"],
    ["not-understood", "versteht: what happened. "],
    ["broken-off", "brach ab: what happened. Was"],
    ["damaged", "gelöscht"],
  ])("HUB_FAILED because it is %s", (reason, part) => {
    const data = { reason, name: "a/b", detail: "what happened.", retryAfterSeconds: 1_200 };
    expect(errorText(view("HUB_FAILED", data))).toContain(part);
  });

  test("a code that is not known, or data that do not fit, fall back to what main said", () => {
    expect(errorText(view("SOMETHING_NEW", {}))).toBe("What main said.");
    expect(errorText(view("CONTEXT_FULL", { promptTokens: "many" }))).toBe("What main said.");
  });
});
