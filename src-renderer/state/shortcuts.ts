/** Which keys mean which command. Pure: who runs the command is decided elsewhere. */
import type { MenuCommand } from "../../src-main/contract/desktop-bridge.ts";

export type Command = MenuCommand | "previous-branch" | "next-branch" | "memory" | "models-screen" | "compare";

export interface KeyPress {
  readonly key: string;
  /** The key's place on the keyboard (`KeyN`). */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  /** The press goes into a field that takes text. */
  readonly inField: boolean;
}

/** Single keys, only while nobody is typing. */
const singleKeys: Readonly<Record<string, Command>> = {
  e: "edit-last",
  c: "compare",
  i: "toggle-inspector",
  l: "models-screen",
  m: "memory",
  "?": "help",
  ArrowLeft: "previous-branch",
  ArrowRight: "next-branch",
};

/** `isMac`: Cmd takes the place of Ctrl. */
export function commandFor(press: KeyPress, isMac: boolean): Command | null {
  const main = isMac ? press.metaKey && !press.ctrlKey : press.ctrlKey && !press.metaKey;
  const none = !press.ctrlKey && !press.metaKey && !press.altKey;
  const key = press.key.length === 1 ? press.key.toLowerCase() : press.key;
  if (main && !press.altKey && !press.shiftKey) return withMainKey(key);
  // Browsers keep Ctrl+N for themselves. On a Mac, Option+N is no letter but the start of one, so its place counts.
  if (press.altKey && !press.ctrlKey && !press.metaKey && press.code === "KeyN") return "new-conversation";
  if (!none) return null;
  if (key === "Escape") return "stop";
  if (press.inField) return null;
  if (press.shiftKey && key === "r") return "regenerate";
  if (press.shiftKey && key !== "?") return null;
  return singleKeys[key] ?? null;
}

/** The digit from 1 to 9 that chooses a level; `null`: another key, or a digit that is typed. */
export function levelDigitFor(press: KeyPress): number | null {
  if (press.ctrlKey || press.metaKey || press.altKey || press.shiftKey || press.inField) return null;
  return /^[1-9]$/.test(press.key) ? Number(press.key) : null;
}

function withMainKey(key: string): Command | null {
  switch (key) {
    case "k":
      return "search";
    case "n":
      return "new-conversation";
    case "b":
      return "toggle-sidebar";
    case "l":
      return "models";
    case ",":
      return "settings";
    default:
      return null;
  }
}
