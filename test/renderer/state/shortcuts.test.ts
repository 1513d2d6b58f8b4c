import { describe, expect, test } from "vitest";
import { commandFor, levelDigitFor, type KeyPress } from "../../../src-renderer/state/shortcuts.ts";

function press(key: string, changes: Partial<KeyPress> = {}): KeyPress {
  const code = /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : key;
  return { key, code, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, inField: false, ...changes };
}

describe("keys", () => {
  test.each([
    ["e", {}, "edit-last"],
    ["c", {}, "compare"],
    ["i", {}, "toggle-inspector"],
    ["l", {}, "models-screen"],
    ["m", {}, "memory"],
    ["?", { shiftKey: true }, "help"],
    ["R", { shiftKey: true }, "regenerate"],
    ["ArrowLeft", {}, "previous-branch"],
    ["ArrowRight", {}, "next-branch"],
    ["Escape", {}, "stop"],
    ["k", { ctrlKey: true }, "search"],
    ["n", { ctrlKey: true }, "new-conversation"],
    ["n", { altKey: true }, "new-conversation"],
    [",", { ctrlKey: true }, "settings"],
    ["l", { ctrlKey: true }, "models"],
  ] as const)("%s %o means %s", (key, modifiers, command) => {
    expect(commandFor(press(key, modifiers), false)).toBe(command);
  });

  test.each(["e", "i", "l", "m", "?", "R", "ArrowLeft", "ArrowRight"])("%s is text while somebody is typing", (key) => {
    const shiftKey = key === "?" || key === "R";
    expect(commandFor(press(key, { shiftKey, inField: true }), false)).toBeNull();
  });

  test.each([
    ["k", { ctrlKey: true }, "search"],
    ["Escape", {}, "stop"],
    ["n", { altKey: true }, "new-conversation"],
  ] as const)("%s %o works also while somebody is typing", (key, modifiers, command) => {
    expect(commandFor(press(key, { ...modifiers, inField: true }), false)).toBe(command);
  });

  test("Cmd takes the place of Ctrl on a Mac, and Option+N is found by its place", () => {
    expect(commandFor(press("k", { metaKey: true }), true)).toBe("search");
    expect(commandFor(press("k", { ctrlKey: true }), true)).toBeNull();
    expect(commandFor(press("Dead", { code: "KeyN", altKey: true }), true)).toBe("new-conversation");
    expect(commandFor(press("Dead", { code: "KeyU", altKey: true }), true)).toBeNull();
  });

  test("the browser's own keys stay its own", () => {
    expect(commandFor(press("r", { ctrlKey: true }), false)).toBeNull();
    expect(commandFor(press("i", { ctrlKey: true, shiftKey: true }), false)).toBeNull();
    expect(commandFor(press("ArrowLeft", { altKey: true }), false)).toBeNull();
    expect(commandFor(press("r"), false)).toBeNull();
    expect(commandFor(press("E", { shiftKey: true }), false)).toBeNull();
  });

  test("a digit from 1 to 9 chooses a level while nobody is typing, and only by itself", () => {
    expect(levelDigitFor(press("1"))).toBe(1);
    expect(levelDigitFor(press("9"))).toBe(9);
    expect(levelDigitFor(press("0"))).toBeNull();
    expect(levelDigitFor(press("a"))).toBeNull();
    expect(levelDigitFor(press("1", { inField: true }))).toBeNull();
    expect(levelDigitFor(press("1", { ctrlKey: true }))).toBeNull();
    expect(levelDigitFor(press("1", { altKey: true }))).toBeNull();
  });
});
