/**
 * Stands in for the module `electron`, which only exists inside Electron's own binary: `vi.mock("electron", () =>
 * import(".../fake-electron.ts"))`. It keeps what it was told, and sends the events a test asks it to.
 */
import { EventEmitter } from "node:events";
import { PassThrough } from "node:stream";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { vi } from "vitest";

class FakeEvent {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

/** An event as Electron sends it: `preventDefault` can be asked for afterwards. */
export function fakeEvent<Details extends object>(details: Details): FakeEvent & Details {
  return Object.assign(new FakeEvent(), details);
}

class FakeApp extends EventEmitter {
  isPackaged = true;
  hasLock = true;
  languages = ["en-GB"];
  readonly paths: Record<string, string> = {};
  readonly commandLine = { appendSwitch: vi.fn() };
  readonly enableSandbox = vi.fn();
  readonly exit = vi.fn();
  readonly quit = vi.fn();
  readonly setAppUserModelId = vi.fn();
  readonly whenReady = () => Promise.resolve();
  readonly getVersion = () => "1.2.3";
  readonly getPreferredSystemLanguages = () => this.languages;
  readonly requestSingleInstanceLock = () => this.hasLock;
  setPath(name: string, path: string): void {
    this.paths[name] = path;
  }
}

type Handler = (...values: never[]) => unknown;

class FakeIpcMain extends EventEmitter {
  readonly handlers = new Map<string, Handler>();
  handle(channel: string, handler: Handler): void {
    this.handlers.set(channel, handler);
  }
}

class FakeSession extends EventEmitter {
  readonly setPermissionRequestHandler = vi.fn();
  readonly setPermissionCheckHandler = vi.fn();
  readonly setDevicePermissionHandler = vi.fn();
  readonly setSpellCheckerEnabled = vi.fn();
  readonly webRequest = { onBeforeRequest: vi.fn() };
}

export class FakeWebContents extends EventEmitter {
  url = "app://reprise/index.html";
  readonly send = vi.fn();
  readonly reload = vi.fn();
  readonly setWindowOpenHandler = vi.fn();
  readonly getURL = () => this.url;
}

export class BrowserWindow extends EventEmitter {
  static readonly opened: BrowserWindow[] = [];
  static fromWebContents(contents: unknown): BrowserWindow | null {
    return BrowserWindow.opened.find((window) => window.webContents === contents) ?? null;
  }

  readonly webContents = new FakeWebContents();
  readonly options: Record<string, unknown>;
  bounds = { x: 10, y: 20, width: 900, height: 700 };
  maximized = false;
  minimized = false;
  destroyed = false;
  readonly show = vi.fn();
  readonly focus = vi.fn();
  readonly restore = vi.fn();
  readonly loadURL = vi.fn(() => Promise.resolve());
  readonly setBackgroundColor = vi.fn();
  readonly getNormalBounds = () => this.bounds;
  readonly isMaximized = () => this.maximized;
  readonly isMinimized = () => this.minimized;
  readonly isDestroyed = () => this.destroyed;

  constructor(options: Record<string, unknown>) {
    super();
    this.options = options;
    BrowserWindow.opened.push(this);
  }

  maximize(): void {
    this.maximized = true;
  }

  /** As a person closes it. */
  close(): void {
    this.emit("close", fakeEvent({}));
    this.destroyed = true;
    this.emit("closed");
  }
}

/** One end of a channel as main sees it: an emitter over a port of Node's. */
class FakePortMain extends EventEmitter {
  readonly port: MessagePort;
  constructor(port: MessagePort) {
    super();
    this.port = port;
    port.once("close", () => this.emit("close"));
  }
  start(): void {
    this.port.on("message", (data: unknown) => this.emit("message", { data, ports: [] }));
  }
  postMessage(data: unknown): void {
    this.port.postMessage(data);
  }
  close(): void {
    this.port.close();
  }
}

export class MessageChannelMain {
  readonly port1: FakePortMain;
  readonly port2: FakePortMain;
  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.port1 = new FakePortMain(port1);
    this.port2 = new FakePortMain(port2);
  }
}

export class FakeUtilityProcess extends EventEmitter {
  pid: number | undefined = undefined;
  readonly stderr = new PassThrough();
  readonly postMessage = vi.fn();
  readonly kill = vi.fn();
}

class FakeNativeTheme extends EventEmitter {
  themeSource = "system";
  shouldUseDarkColors = false;
}

class FakePowerMonitor extends EventEmitter {
  isPluggedIn = true;
  isOnBatteryPower(): boolean {
    return !this.isPluggedIn;
  }
}

const laptopDisplay = { id: 1, workArea: { x: 0, y: 0, width: 1440, height: 900 } };

export const app = new FakeApp();
export const ipcMain = new FakeIpcMain();
export const nativeTheme = new FakeNativeTheme();
export const powerMonitor = new FakePowerMonitor();
export const session = { defaultSession: new FakeSession() };
export const protocol = { registerSchemesAsPrivileged: vi.fn(), handle: vi.fn() };
export const shell = { openExternal: vi.fn(() => Promise.resolve()) };
export const dialog = {
  showOpenDialog: vi.fn(() => Promise.resolve({ canceled: true, filePaths: [] as string[] })),
  showMessageBox: vi.fn(() => Promise.resolve({ response: 0 })),
};
export const screen = { getPrimaryDisplay: () => laptopDisplay, getAllDisplays: () => [laptopDisplay] };
export const Menu = {
  setApplicationMenu: vi.fn(),
  buildFromTemplate: vi.fn((template: unknown) => ({ template, popup: vi.fn() })),
};
export const utilityProcess = { fork: vi.fn(() => new FakeUtilityProcess()) };
export const contextBridge = { exposeInMainWorld: vi.fn() };
export const ipcRenderer = Object.assign(new EventEmitter(), {
  send: vi.fn(),
  invoke: vi.fn((): Promise<unknown> => Promise.resolve(null)),
});
export const webUtils = { getPathForFile: vi.fn((file: { name: string }) => `/home/me/${file.name}`) };

/** Forgets everything: no windows, no listeners, no calls. */
export function resetElectron(): void {
  for (const emitter of [app, ipcMain, nativeTheme, powerMonitor, session.defaultSession, ipcRenderer]) {
    emitter.removeAllListeners();
  }
  BrowserWindow.opened.length = 0;
  ipcMain.handlers.clear();
  Object.assign(app, { isPackaged: true, hasLock: true, languages: ["en-GB"] });
  Object.assign(nativeTheme, { themeSource: "system", shouldUseDarkColors: false });
  powerMonitor.isPluggedIn = true;
  vi.clearAllMocks();
}
