/**
 * Reprise with a window. Owns the app behind it, the loopback server through which the command line finds it, and
 * the one window; closes them in the other order.
 */
import { join } from "node:path";
import { createRouterClient } from "@orpc/server";
import { app, ipcMain, Menu, nativeTheme, powerMonitor, type BrowserWindow } from "electron";
import { openReprise, type Reprise } from "../app/compose.ts";
import type { MenuCommand } from "../contract/desktop-bridge.ts";
import type { Settings } from "../contract/settings.ts";
import { publishApp } from "../loopback/publish-app.ts";
import { answerBridgeCalls } from "./bridge-calls.ts";
import { menuCommandChannel } from "./channels.ts";
import { connectPages } from "./connections.ts";
import { chooseLocale, desktopText, type DesktopLocale } from "./desktop-text.ts";
import { menuText } from "./menu-text.ts";
import { contextMenuTemplate, menuTemplate } from "./menu.ts";
import { reloadAfterCrash } from "./page-crash.ts";
import { utilityEngine } from "./utility-engine.ts";
import { focusWindow, openWindow } from "./window.ts";

export interface DesktopOptions {
  readonly dataFolder: string;
  readonly modelsFolder: string;
  readonly preloadPath: string;
  readonly engineEntry: string;
  readonly quantizerEntry: string;
  readonly pageUrl: string;
  /** See security.ts. */
  readonly devServer: string | null;
}

export class DesktopApp {
  readonly #options: DesktopOptions;
  readonly #router: Reprise["router"];
  readonly #closing = new AbortController();
  #opened = new AsyncDisposableStack();
  #window: BrowserWindow | null = null;
  #locale: DesktopLocale = chooseLocale("system", app.getPreferredSystemLanguages());

  private constructor(options: DesktopOptions, router: Reprise["router"]) {
    this.#options = options;
    this.#router = router;
  }

  /** Opens the app and its window. Throws what `openReprise` throws: ALREADY_RUNNING, FOLDER_UNWRITABLE, STORAGE_FAILED, DATABASE_NEWER. */
  static async open(options: DesktopOptions): Promise<DesktopApp> {
    const { dataFolder, modelsFolder, engineEntry, quantizerEntry } = options;
    await using opened = new AsyncDisposableStack();
    const reprise = await openReprise({
      dataFolder,
      modelsFolder,
      host: "desktop",
      version: app.getVersion(),
      launchEngine: utilityEngine({ entry: engineEntry, name: "Reprise engine" }),
      launchQuantizer: utilityEngine({ entry: quantizerEntry, name: "Reprise quantizer" }),
      isOnBattery: () => powerMonitor.isOnBatteryPower(),
    });
    opened.defer(() => reprise.close());
    const published = await publishApp({ dataFolder, router: reprise.router, rendererFolder: null });
    opened.defer(() => published.close());
    const desktop = new DesktopApp(options, reprise.router);
    opened.defer(() => {
      desktop.#closing.abort();
    });
    await desktop.#start();
    desktop.#opened = opened.move();
    return desktop;
  }

  async #start(): Promise<void> {
    const { devServer } = this.#options;
    connectPages(ipcMain, this.#router, devServer);
    answerBridgeCalls(ipcMain, () => desktopText(this.#locale), devServer);
    const { settings } = createRouterClient(this.#router, { context: {} });
    this.#apply(await settings.get());
    void this.#follow(await settings.watch(undefined, { signal: this.#closing.signal }));
    this.showWindow();
  }

  async #follow(changes: AsyncIterable<Settings>): Promise<void> {
    try {
      for await (const settings of changes) this.#apply(settings);
    } catch (error) {
      if (!this.#closing.signal.aborted) throw error;
    }
  }

  /** What main itself shows of the settings: the theme of frames and dialogs, and the language of the menu. */
  #apply({ theme, locale }: Settings): void {
    nativeTheme.themeSource = theme;
    this.#locale = chooseLocale(locale, app.getPreferredSystemLanguages());
    const template = menuTemplate({
      platform: process.platform,
      text: menuText(this.#locale),
      isDevelopment: this.#options.devServer !== null,
      send: (command) => {
        this.#send(command);
      },
    });
    Menu.setApplicationMenu(Menu.buildFromTemplate(template));
  }

  #send(command: MenuCommand): void {
    if (this.#window === null) this.showWindow();
    else this.#window.webContents.send(menuCommandChannel, command);
  }

  /** Brings the window to the front, a new one where it was closed. */
  showWindow(): void {
    if (this.#window !== null) {
      focusWindow(this.#window);
      return;
    }
    const { preloadPath, dataFolder, pageUrl } = this.#options;
    const window = openWindow({ preloadPath, statePath: join(dataFolder, "window-state.json"), pageUrl });
    this.#window = window;
    window.on("closed", () => {
      this.#window = null;
    });
    // Windows is shutting down or the user is signing out.
    window.on("session-end", () => {
      app.quit();
    });
    window.webContents.on("context-menu", (_event, target) => {
      const template = contextMenuTemplate(menuText(this.#locale), target);
      if (template.length > 0) Menu.buildFromTemplate(template).popup({ window });
    });
    reloadAfterCrash(window, () => desktopText(this.#locale));
  }

  /** Ends answers that are being written, with their text kept, and the engine. */
  async close(): Promise<void> {
    await this.#opened.disposeAsync();
  }
}
