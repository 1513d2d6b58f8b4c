import { BrowserWindow, dialog, type IpcMain } from "electron";
import { chooseModelFileChannel } from "./channels.ts";
import { isFromOwnPage } from "./connections.ts";
import type { DesktopText } from "./desktop-text.ts";

/** Answers what the page asks of the desktop itself: so far the system's dialog for a model file. */
export function answerBridgeCalls(ipc: IpcMain, text: () => DesktopText, devServer: string | null): void {
  ipc.handle(chooseModelFileChannel, async (event): Promise<string | null> => {
    const window = BrowserWindow.fromWebContents(event.sender);
    if (window === null || !isFromOwnPage(event, devServer)) return null;
    const { chooseModel, modelFiles } = text();
    const choice = await dialog.showOpenDialog(window, {
      title: chooseModel,
      properties: ["openFile"],
      filters: [{ name: modelFiles, extensions: ["gguf"] }],
    });
    return choice.filePaths[0] ?? null;
  });
}
