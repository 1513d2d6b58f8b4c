import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createRouterClient } from "@orpc/server";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type * as Compose from "../../../src-main/app/compose.ts";
import { openReprise } from "../../../src-main/app/compose.ts";
import { startDesktop } from "../../../src-main/desktop/start-desktop.ts";
import * as electron from "../../helpers/fake-electron.ts";
import { restoreSignalListeners } from "../../helpers/signal-listeners.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

vi.mock("electron", () => import("../../helpers/fake-electron.ts"));
// The app itself is real; only the model stays where it is.
vi.mock("../../../src-main/app/compose.ts", async (original) => {
  const compose = await original<typeof Compose>();
  const openReprise = vi.fn<typeof compose.openReprise>((options) =>
    compose.openReprise({ ...options, fetchDefaultModel: false }),
  );
  return { ...compose, openReprise };
});

let dataFolder: string;

beforeEach(() => {
  electron.resetElectron();
  dataFolder = temporaryFolder();
  vi.stubEnv("REPRISE_DATA", dataFolder);
  vi.stubEnv("REPRISE_MODELS", "");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const theWindow = () => {
  const [window] = electron.BrowserWindow.opened;
  if (window === undefined) throw new Error("No window is open.");
  return window;
};

/** Not awaited, as in Electron. What it opened is closed when the test is over. */
function start(): void {
  restoreSignalListeners();
  const started = startDesktop("/app/out/main");
  onTestFinished(async () => {
    await started;
    if (electron.app.emit("will-quit", electron.fakeEvent({}))) {
      await vi.waitFor(() => {
        expect(electron.app.exit).toHaveBeenCalled();
      });
    }
  });
}

async function startAndShow(): Promise<electron.BrowserWindow> {
  start();
  await vi.waitFor(() => {
    theWindow();
  });
  return theWindow();
}

describe("before it is ready, Electron is told", () => {
  beforeEach(start);

  test("to sandbox every page, to know app:// and to find no host on any network", () => {
    expect(electron.app.enableSandbox).toHaveBeenCalledOnce();
    expect(electron.protocol.registerSchemesAsPrivileged).toHaveBeenCalledOnce();
    expect(electron.app.commandLine.appendSwitch).toHaveBeenCalledWith("host-resolver-rules", "MAP * ~NOTFOUND");
  });

  test("to keep its own files in the data folder", () => {
    expect(electron.app.paths["userData"]).toBe(join(dataFolder, "desktop"));
  });

  test("to lock every web contents down", () => {
    const contents = new electron.FakeWebContents();
    electron.app.emit("web-contents-created", {}, contents);
    expect(contents.setWindowOpenHandler).toHaveBeenCalledOnce();
  });
});

describe("the app", () => {
  test("opens its window on the built renderer, with the session locked down", async () => {
    const window = await startAndShow();
    expect(window.loadURL).toHaveBeenCalledWith("app://reprise/index.html");
    expect(electron.session.defaultSession.webRequest.onBeforeRequest).toHaveBeenCalledOnce();
    expect(electron.protocol.handle).toHaveBeenCalledExactlyOnceWith("app", expect.any(Function));
  });

  test("knows whether the machine runs on its battery", async () => {
    await startAndShow();
    const isOnBattery = vi.mocked(openReprise).mock.lastCall?.[0].isOnBattery;
    expect(isOnBattery?.()).toBe(false);
    electron.powerMonitor.isPluggedIn = false;
    expect(isOnBattery?.()).toBe(true);
  });

  test("can be found by the command line while it runs", async () => {
    await startAndShow();
    expect(existsSync(join(dataFolder, "instance.json"))).toBe(true);
  });

  test("opens the theme and the language that were chosen before", async () => {
    const launchEngine = () => {
      throw new Error("No engine is needed.");
    };
    const launchers = { launchEngine, launchQuantizer: launchEngine };
    const options = { dataFolder, modelsFolder: dataFolder, host: "headless", version: "1", ...launchers } as const;
    const before = await openReprise({ ...options, fetchDefaultModel: false });
    await createRouterClient(before.router, { context: {} }).settings.update({ theme: "dark", locale: "de" });
    await before.close();

    await startAndShow();
    expect(electron.nativeTheme.themeSource).toBe("dark");
    const [{ template }] = electron.Menu.setApplicationMenu.mock.lastCall as [{ template: { label: string }[] }];
    expect(template.map(({ label }) => label)).toContain("Bearbeiten");
  });

  test("sends menu commands to its page", async () => {
    const window = await startAndShow();
    interface Item {
      label?: string;
      submenu?: Item[];
      click?: () => void;
    }
    const [{ template }] = electron.Menu.setApplicationMenu.mock.lastCall as [{ template: Item[] }];
    const items = template.flatMap(({ submenu }) => submenu ?? []);
    items.find(({ label }) => label === "Models")?.click?.();
    expect(window.webContents.send).toHaveBeenCalledWith("reprise:menu-command", "models");
  });

  test("comes to the front when it is started a second time", async () => {
    const window = await startAndShow();
    electron.app.emit("second-instance");
    await vi.waitFor(() => {
      expect(window.focus).toHaveBeenCalledOnce();
    });
    expect(electron.BrowserWindow.opened).toHaveLength(1);
  });

  test("opens a new window from the dock when the last one was closed", async () => {
    (await startAndShow()).close();
    electron.app.emit("activate");
    await vi.waitFor(() => {
      expect(electron.BrowserWindow.opened).toHaveLength(2);
    });
  });

  test("offers editing on a right click", async () => {
    const window = await startAndShow();
    window.webContents.emit("context-menu", {}, { isEditable: true, selectionText: "" });
    const popup = electron.Menu.buildFromTemplate.mock.results.at(-1)?.value as { popup: unknown };
    expect(popup.popup).toHaveBeenCalledWith({ window });
  });

  test("closes what it opened before it ends", async () => {
    await startAndShow();
    electron.app.emit("will-quit", electron.fakeEvent({}));
    await vi.waitFor(() => {
      expect(electron.app.exit.mock.calls).toEqual([[0]]);
    });
    expect(existsSync(join(dataFolder, "instance.json"))).toBe(false);
  });
});

describe("a second instance", () => {
  test("leaves the data alone and ends", () => {
    electron.app.hasLock = false;
    start();
    expect(electron.app.quit).toHaveBeenCalledOnce();
    expect(electron.BrowserWindow.opened).toEqual([]);
    expect(existsSync(join(dataFolder, "reprise.db"))).toBe(false);
  });
});

describe("an app that cannot open", () => {
  beforeEach(() => {
    vi.spyOn(process.stderr, "write").mockReturnValue(true);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  const whatItSaid = async () => {
    start();
    await vi.waitFor(() => {
      expect(electron.app.exit.mock.calls).toContainEqual([3]);
    });
    expect(electron.BrowserWindow.opened).toEqual([]);
    const calls = electron.dialog.showMessageBox.mock.calls as unknown as [{ message: string; detail: string }][];
    return calls.at(-1)?.[0];
  };

  test("says that another Reprise uses the data folder", async () => {
    const launchEngine = () => {
      throw new Error("No engine is needed.");
    };
    const other = await openReprise({
      dataFolder,
      modelsFolder: dataFolder,
      host: "headless",
      version: "1",
      launchEngine,
      launchQuantizer: launchEngine,
      fetchDefaultModel: false,
    });
    onTestFinished(() => other.close());
    expect(await whatItSaid()).toMatchObject({ message: "Reprise is already running" });
  });

  test("says that the data folder cannot be written to", async () => {
    const blocked = join(dataFolder, "a file");
    mkdirSync(dataFolder, { recursive: true });
    writeFileSync(blocked, "");
    vi.stubEnv("REPRISE_DATA", join(blocked, "data"));
    const said = await whatItSaid();
    expect(said?.detail).toContain("cannot write to its data folder");
  });
});
