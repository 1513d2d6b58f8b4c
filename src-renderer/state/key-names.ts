import { m } from "../paraglide/messages.js";

/** How the keys of the main shortcuts are written on this system, and in this language. */
export interface KeyNames {
  readonly search: string;
  readonly newConversation: string;
  readonly sidebar: string;
  readonly settings: string;
  readonly models: string;
  readonly send: string;
}

export function isMacPlatform(platform: string): boolean {
  return /^mac|darwin/i.test(platform);
}

/** `platform`: as the browser or Node names it. */
export function keyNames(platform: string): KeyNames {
  const isMac = isMacPlatform(platform);
  const control = m.key_control();
  const main = (key: string) => (isMac ? `⌘${key}` : `${control} ${key}`);
  return {
    search: main("K"),
    newConversation: isMac ? "⌥N" : "Alt N",
    sidebar: main("B"),
    settings: main(","),
    models: main("L"),
    send: isMac ? "⌘↵" : `${control} ↵`,
  };
}
