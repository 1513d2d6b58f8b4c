/** The one window: how it opens, what it may do, and where it was. */
import { BrowserWindow, nativeTheme, screen } from "electron";
import { minimumSize, placeWindow, readWindowState, writeWindowState } from "./window-state.ts";

export interface WindowOptions {
  /** The built preload script. */
  readonly preloadPath: string;
  /** window-state.json in the data folder. */
  readonly statePath: string;
  /** What the window shows. */
  readonly pageUrl: string;
}

const saveDelayMs = 400;

/** The page's own `--canvas` in either theme, so that nothing flashes before it has drawn. */
const backgrounds = { dark: "#171614", light: "#faf9f7" } as const;

function background(): string {
  return nativeTheme.shouldUseDarkColors ? backgrounds.dark : backgrounds.light;
}

export function openWindow({ preloadPath, statePath, pageUrl }: WindowOptions): BrowserWindow {
  const primary = screen.getPrimaryDisplay();
  const others = screen.getAllDisplays().filter((display) => display.id !== primary.id);
  const state = placeWindow(readWindowState(statePath), [
    primary.workArea,
    ...others.map((display) => display.workArea),
  ]);
  const window = new BrowserWindow({
    ...state.bounds,
    minWidth: minimumSize.width,
    minHeight: minimumSize.height,
    title: "Reprise",
    show: false,
    backgroundColor: background(),
    webPreferences: {
      preload: preloadPath,
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webviewTag: false,
      // Only the system's own checker works without fetching dictionaries.
      spellcheck: process.platform === "darwin",
    },
  });
  if (state.maximized) window.maximize();
  window.once("ready-to-show", () => {
    window.show();
  });
  keepState(window, statePath);
  keepBackground(window);
  void window.loadURL(pageUrl);
  return window;
}

function keepState(window: BrowserWindow, statePath: string): void {
  let timer: NodeJS.Timeout | undefined;
  const save = () => {
    clearTimeout(timer);
    writeWindowState(statePath, { bounds: window.getNormalBounds(), maximized: window.isMaximized() });
  };
  const saveSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(save, saveDelayMs);
  };
  window.on("resize", saveSoon);
  window.on("move", saveSoon);
  window.on("maximize", saveSoon);
  window.on("unmaximize", saveSoon);
  window.on("close", save);
  window.on("closed", () => {
    clearTimeout(timer);
  });
}

function keepBackground(window: BrowserWindow): void {
  const follow = () => {
    window.setBackgroundColor(background());
  };
  nativeTheme.on("updated", follow);
  window.on("closed", () => {
    nativeTheme.off("updated", follow);
  });
}

export function focusWindow(window: BrowserWindow): void {
  if (window.isMinimized()) window.restore();
  window.show();
  window.focus();
}
