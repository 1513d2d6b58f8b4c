import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import * as electron from "../../helpers/fake-electron.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";
import { focusWindow, openWindow } from "../../../src-main/desktop/window.ts";
import { readWindowState } from "../../../src-main/desktop/window-state.ts";

vi.mock("electron", () => import("../../helpers/fake-electron.ts"));

function open(statePath = join(temporaryFolder(), "window-state.json")) {
  const options = { preloadPath: "/app/preload.cjs", statePath, pageUrl: "app://reprise/index.html" };
  const window = openWindow(options) as unknown as electron.BrowserWindow;
  return { window, statePath };
}

beforeEach(() => {
  vi.useFakeTimers();
  electron.nativeTheme.shouldUseDarkColors = false;
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the window", () => {
  test("gives its page the sandbox and nothing of Node", () => {
    expect(open().window.options["webPreferences"]).toMatchObject({
      preload: "/app/preload.cjs",
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
    });
  });

  test("has a title and a size below which it does not go", () => {
    expect(open().window.options).toMatchObject({ title: "Reprise", minWidth: 480, minHeight: 400 });
  });

  test("shows itself only once the page has drawn", () => {
    const { window } = open();
    expect(window.options["show"]).toBe(false);
    expect(window.loadURL).toHaveBeenCalledWith("app://reprise/index.html");
    expect(window.show).not.toHaveBeenCalled();
    window.emit("ready-to-show");
    expect(window.show).toHaveBeenCalledOnce();
  });

  test("has the page's own background in either theme before the page is there", () => {
    const page = readFileSync(new URL("../../../src-renderer/app.css", import.meta.url), "utf8");
    const [, light, dark] = /--canvas: light-dark\((#\w+), (#\w+)\)/.exec(page) ?? [];
    expect(open().window.options["backgroundColor"]).toBe(light);
    electron.nativeTheme.shouldUseDarkColors = true;
    expect(open().window.options["backgroundColor"]).toBe(dark);
  });

  test("follows the theme until it is closed", () => {
    const { window } = open();
    electron.nativeTheme.shouldUseDarkColors = true;
    electron.nativeTheme.emit("updated");
    const [dark] = window.setBackgroundColor.mock.lastCall as [string];
    expect(dark).not.toBe(window.options["backgroundColor"]);
    window.close();
    electron.nativeTheme.emit("updated");
    expect(window.setBackgroundColor).toHaveBeenCalledTimes(1);
  });

  test("opens where it was, maximised if it was", () => {
    const statePath = join(temporaryFolder(), "window-state.json");
    const bounds = { x: 40, y: 50, width: 640, height: 480 };
    writeFileSync(statePath, JSON.stringify({ bounds, maximized: true }));
    const { window } = open(statePath);
    expect(window.options).toMatchObject(bounds);
    expect(window.maximized).toBe(true);
  });

  test("is remembered once it has stood still for a moment", () => {
    const { window, statePath } = open();
    for (const x of [1, 2, 3]) {
      window.bounds = { ...window.bounds, x };
      window.emit("move");
    }
    expect(readWindowState(statePath)).toBeNull();
    vi.runAllTimers();
    expect(readWindowState(statePath)).toEqual({ bounds: { x: 3, y: 20, width: 900, height: 700 }, maximized: false });
  });

  test("is remembered when it closes, and not written after that", () => {
    const { window, statePath } = open();
    window.emit("resize");
    window.maximized = true;
    window.close();
    expect(readWindowState(statePath)?.maximized).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test("comes to the front, also from the dock", () => {
    const { window } = open();
    window.minimized = true;
    focusWindow(window as never);
    expect(window.restore).toHaveBeenCalledOnce();
    expect(window.focus).toHaveBeenCalledOnce();
  });
});
