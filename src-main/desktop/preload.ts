/** Runs in the sandbox beside the page: the few calls of DesktopBridge, and handing the port over. */
import { contextBridge, ipcRenderer, webUtils } from "electron";
import type { DesktopBridge, MenuCommand } from "../contract/desktop-bridge.ts";
import { portMessage } from "../contract/desktop-bridge.ts";
import { chooseImatrixChannel, chooseModelFileChannel, connectChannel, menuCommandChannel } from "./channels.ts";

/** The page's window; the rest of its types do not belong in a main-process project. */
declare const window: { postMessage(message: unknown, targetOrigin: string, transfer: readonly unknown[]): void };

const bridge: DesktopBridge = {
  platform: process.platform,
  connect: () => {
    ipcRenderer.send(connectChannel);
  },
  chooseModelFile: () => ipcRenderer.invoke(chooseModelFileChannel) as Promise<string | null>,
  chooseImportanceMatrix: () => ipcRenderer.invoke(chooseImatrixChannel) as Promise<string | null>,
  pathOfFile: (file) => webUtils.getPathForFile(file),
  onMenuCommand: (listener) => {
    const onCommand = (_event: unknown, command: MenuCommand) => {
      listener(command);
    };
    ipcRenderer.on(menuCommandChannel, onCommand);
    return () => {
      ipcRenderer.off(menuCommandChannel, onCommand);
    };
  },
};

contextBridge.exposeInMainWorld("repriseDesktop", bridge);

// A port cannot cross the context bridge; a message of the window can carry it. It goes to this very window only.
ipcRenderer.on(portMessage, (event) => {
  window.postMessage(portMessage, "*", event.ports);
});
