import type { MenuItemConstructorOptions } from "electron";
import { describe, expect, test, vi } from "vitest";
import { menuCommands, type MenuCommand } from "../../../src-main/contract/desktop-bridge.ts";
import { menuText } from "../../../src-main/desktop/menu-text.ts";
import { contextMenuTemplate, menuTemplate, type MenuOptions } from "../../../src-main/desktop/menu.ts";

type Item = MenuItemConstructorOptions;

function menu(options: Partial<MenuOptions> = {}): Item[] {
  return menuTemplate({ platform: "linux", text: menuText("en"), isDevelopment: false, send: vi.fn(), ...options });
}

function itemsOf(items: readonly Item[]): Item[] {
  return items.flatMap((item) => [item, ...itemsOf((item.submenu as Item[] | undefined) ?? [])]);
}

const platforms = ["linux", "win32", "darwin"] as const;

describe.each(platforms)("the application menu on %s", (platform) => {
  test("offers every command, once", () => {
    const sent: MenuCommand[] = [];
    const items = itemsOf(menu({ platform, send: (command) => sent.push(command) }));
    for (const item of items) item.click?.({} as never, undefined, {});
    expect(sent.toSorted()).toEqual(menuCommands.toSorted());
  });

  test.each(["en", "de"] as const)("has a label of its own on everything in %s", (locale) => {
    const texts: unknown[] = Object.values(menuText(locale));
    const items = itemsOf(menu({ platform, text: menuText(locale), isDevelopment: true }));
    const unlabelled = items.filter(({ type, label }) => type !== "separator" && !texts.includes(label));
    expect(unlabelled.map(({ label }) => label)).toEqual(platform === "darwin" ? ["Reprise"] : []);
  });

  test("takes no plain letters, and no accelerator twice", () => {
    const accelerators = itemsOf(menu({ platform })).flatMap(({ accelerator }) => accelerator ?? []);
    expect(accelerators).not.toHaveLength(0);
    for (const accelerator of accelerators) expect(accelerator).toMatch(/^CmdOrCtrl\+/);
    expect(new Set(accelerators).size).toBe(accelerators.length);
  });

  test("reloads and inspects only while developing", () => {
    const roles = (isDevelopment: boolean) => itemsOf(menu({ platform, isDevelopment })).map(({ role }) => role);
    expect(roles(true)).toEqual(expect.arrayContaining(["reload", "toggleDevTools"]));
    expect(roles(false)).not.toEqual(expect.arrayContaining(["reload"]));
    expect(roles(false)).not.toEqual(expect.arrayContaining(["toggleDevTools"]));
  });
});

test("quitting and the settings are where each platform has them", () => {
  const labelsOf = (platform: NodeJS.Platform, name: string) =>
    itemsOf(menu({ platform }).filter(({ label }) => label === name)).map(({ label }) => label);
  expect(labelsOf("linux", "File")).toEqual(expect.arrayContaining(["Settings…", "Quit Reprise"]));
  expect(labelsOf("darwin", "Reprise")).toEqual(expect.arrayContaining(["Settings…", "Quit Reprise"]));
  expect(labelsOf("darwin", "File")).not.toContain("Settings…");
});

test("both languages have all texts, and no German one was forgotten", () => {
  const english = menuText("en");
  const german = menuText("de");
  const same = Object.keys(english).filter((key) => english[key as never] === german[key as never]);
  expect(same).toEqual([]);
});

describe("the context menu", () => {
  const roles = (target: { isEditable: boolean; selectionText: string }) =>
    contextMenuTemplate(menuText("en"), target).map(({ role }) => role);

  test("edits in a field", () => {
    expect(roles({ isEditable: true, selectionText: "" })).toEqual(["cut", "copy", "paste", "selectAll"]);
  });

  test("copies what is selected elsewhere, and is empty without a selection", () => {
    expect(roles({ isEditable: false, selectionText: "text" })).toEqual(["copy"]);
    expect(roles({ isEditable: false, selectionText: " \n" })).toEqual([]);
  });
});
