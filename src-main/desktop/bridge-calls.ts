import { BrowserWindow, dialog, type FileFilter, type IpcMain, type IpcMainInvokeEvent } from "electron";
import { chooseImatrixChannel, chooseModelFileChannel } from "./channels.ts";
import { isFromOwnPage } from "./connections.ts";
import type { DesktopText } from "./desktop-text.ts";

/** What is chosen: the dialog's title and the files it shows. */
interface Choice {
  readonly title: string;
  readonly filters: FileFilter[];
}

/** Answers what the page asks of the desktop itself: the system's dialogs for files. */
export function answerBridgeCalls(ipc: IpcMain, text: () => DesktopText, devServer: string | null): void {
  const answer = (choice: (text: DesktopText) => Choice) => (event: IpcMainInvokeEvent) =>
    isFromOwnPage(event, devServer) ? chooseFile(event, choice(text())) : null;
  ipc.handle(
    chooseModelFileChannel,
    answer(({ chooseModel, modelFiles }) => ({
      title: chooseModel,
      filters: [{ name: modelFiles, extensions: ["gguf"] }],
    })),
  );
  ipc.handle(
    chooseImatrixChannel,
    answer(({ chooseImatrix, imatrixFiles, allFiles }) => ({
      title: chooseImatrix,
      filters: [
        { name: imatrixFiles, extensions: ["gguf", "imatrix", "dat"] },
        { name: allFiles, extensions: ["*"] },
      ],
    })),
  );
}

async function chooseFile({ sender }: IpcMainInvokeEvent, { title, filters }: Choice): Promise<string | null> {
  const window = BrowserWindow.fromWebContents(sender);
  if (window === null) return null;
  const choice = await dialog.showOpenDialog(window, { title, properties: ["openFile"], filters });
  return choice.filePaths[0] ?? null;
}
