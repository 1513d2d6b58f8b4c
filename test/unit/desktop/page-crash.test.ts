import { beforeEach, describe, expect, test, vi } from "vitest";
import { desktopText } from "../../../src-main/desktop/desktop-text.ts";
import { afterPageCrash, reloadAfterCrash } from "../../../src-main/desktop/page-crash.ts";
import * as electron from "../../helpers/fake-electron.ts";

vi.mock("electron", () => import("../../helpers/fake-electron.ts"));

describe("after a page has crashed", () => {
  test("it is loaded again without a word, the first time and when the last is long ago", () => {
    expect(afterPageCrash(null, 5_000)).toBe("reload");
    expect(afterPageCrash(5_000, 66_000)).toBe("reload");
  });

  test("it is asked about the second time within a minute", () => {
    expect(afterPageCrash(5_000, 64_000)).toBe("ask");
  });
});

describe("the window", () => {
  let window: electron.BrowserWindow;
  const crash = (reason = "crashed") => window.webContents.emit("render-process-gone", {}, { reason });
  beforeEach(() => {
    window = new electron.BrowserWindow({});
    reloadAfterCrash(window as never, () => desktopText("en"));
    electron.dialog.showMessageBox.mockReset();
    electron.app.quit.mockReset();
  });

  test("loads its page again once", () => {
    crash();
    expect(window.webContents.reload).toHaveBeenCalledOnce();
    expect(electron.dialog.showMessageBox).not.toHaveBeenCalled();
  });

  test("asks the second time, and reloads when told to", async () => {
    electron.dialog.showMessageBox.mockResolvedValue({ response: 0 });
    crash();
    crash();
    expect(electron.dialog.showMessageBox.mock.lastCall).toMatchObject([
      window,
      { message: "The window stopped working", buttons: ["Reload", "Quit"] },
    ]);
    await vi.waitFor(() => {
      expect(window.webContents.reload).toHaveBeenCalledTimes(2);
    });
    expect(electron.app.quit).not.toHaveBeenCalled();
  });

  test("quits when told to", async () => {
    electron.dialog.showMessageBox.mockResolvedValue({ response: 1 });
    crash();
    crash("oom");
    await vi.waitFor(() => {
      expect(electron.app.quit).toHaveBeenCalledOnce();
    });
  });

  test("does nothing about a page that ended cleanly, or a window that is gone", () => {
    crash("clean-exit");
    window.destroyed = true;
    crash();
    expect(window.webContents.reload).not.toHaveBeenCalled();
  });
});
