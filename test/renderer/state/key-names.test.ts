import { afterEach, expect, test } from "vitest";
import { overwriteGetLocale } from "../../../src-renderer/paraglide/runtime.js";
import { keyNames } from "../../../src-renderer/state/key-names.ts";

afterEach(() => {
  overwriteGetLocale(() => "en");
});

test("keys are written as they are on the keyboard", () => {
  expect(keyNames("Linux x86_64")).toMatchObject({ search: "Ctrl K", newConversation: "Alt N", send: "Ctrl ↵" });
  expect(keyNames("MacIntel")).toMatchObject({ search: "⌘K", newConversation: "⌥N", send: "⌘↵" });
  overwriteGetLocale(() => "de");
  expect(keyNames("Win32")).toMatchObject({ search: "Strg K", models: "Strg L", send: "Strg ↵" });
});
