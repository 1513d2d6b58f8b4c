import { describe, expect, test, vi } from "vitest";
import { RepriseError } from "../../../src-main/contract/errors.ts";
import { chooseLocale, desktopText } from "../../../src-main/desktop/desktop-text.ts";
import { endWithReason, startFailureText } from "../../../src-main/desktop/start-failure.ts";
import * as electron from "../../helpers/fake-electron.ts";

vi.mock("electron", () => import("../../helpers/fake-electron.ts"));

const alreadyRunning = (pid: number | null) =>
  new RepriseError("ALREADY_RUNNING", "Another Reprise uses this folder.", { dataFolder: "/home/me/reprise", pid });

describe("what is said when the app cannot open", () => {
  test("names the folder and the process of a Reprise that runs already, and what to do", () => {
    const { message, detail } = startFailureText(alreadyRunning(4711), desktopText("en"));
    expect(message).toBe("Reprise is already running");
    expect(detail).toContain("open Reprise again");
    expect(detail).toContain("/home/me/reprise");
    expect(detail).toContain("4711");
  });

  test("leaves out a process nobody knows", () => {
    expect(startFailureText(alreadyRunning(null), desktopText("de")).detail).not.toMatch(/Prozess|null/);
  });

  test("is the error's own sentence otherwise", () => {
    const error = new RepriseError("STORAGE_FAILED", "The disk is full.", { reason: "disk-full", detail: "ENOSPC" });
    expect(startFailureText(error, desktopText("en"))).toEqual({
      message: "Reprise cannot start",
      detail: "The disk is full.",
    });
  });

  test("is a dialog in the system's language; then the app ends with code 1", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    electron.app.languages = ["de-AT", "en-US"];
    await endWithReason(alreadyRunning(null));
    expect(electron.dialog.showMessageBox).toHaveBeenCalledExactlyOnceWith(
      expect.objectContaining({ type: "error", message: "Reprise läuft bereits" }),
    );
    expect(write).toHaveBeenCalledWith(expect.stringContaining("Reprise läuft bereits: "));
    expect(electron.app.exit.mock.calls).toEqual([[3]]);
    write.mockRestore();
  });
});

describe("the language of menus and dialogs", () => {
  test("is the user's choice, else German where the system prefers it, else English", () => {
    expect(chooseLocale("en", ["de-DE"])).toBe("en");
    expect(chooseLocale("system", ["de-CH", "fr-CH"])).toBe("de");
    expect(chooseLocale("system", ["fr-FR", "de-DE"])).toBe("en");
    expect(chooseLocale("system", [])).toBe("en");
  });
});
