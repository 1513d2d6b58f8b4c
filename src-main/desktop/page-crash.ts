import { app, dialog, type BrowserWindow } from "electron";
import type { DesktopText } from "./desktop-text.ts";

const againMs = 60_000;

/** A page that dies is loaded once more without a word; dying again within a minute is something to ask about. */
export function afterPageCrash(previousAtMs: number | null, nowMs: number): "reload" | "ask" {
  return previousAtMs === null || nowMs - previousAtMs > againMs ? "reload" : "ask";
}

export function reloadAfterCrash(window: BrowserWindow, text: () => DesktopText): void {
  let crashedAtMs: number | null = null;
  window.webContents.on("render-process-gone", (_event, { reason }) => {
    if (reason === "clean-exit" || window.isDestroyed()) return;
    const nowMs = performance.now();
    const next = afterPageCrash(crashedAtMs, nowMs);
    crashedAtMs = nowMs;
    if (next === "reload") window.webContents.reload();
    else void askToReload(window, text());
  });
}

async function askToReload(window: BrowserWindow, text: DesktopText): Promise<void> {
  const { response } = await dialog.showMessageBox(window, {
    type: "error",
    message: text.pageCrashed,
    detail: text.pageCrashedDetail,
    buttons: [text.reload, text.quit],
    defaultId: 0,
    cancelId: 0,
    noLink: true,
  });
  if (response === 1) app.quit();
  else window.webContents.reload();
}
