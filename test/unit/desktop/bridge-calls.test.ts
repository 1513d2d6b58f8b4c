import { beforeEach, expect, test, vi } from "vitest";
import { answerBridgeCalls } from "../../../src-main/desktop/bridge-calls.ts";
import { desktopText } from "../../../src-main/desktop/desktop-text.ts";
import * as electron from "../../helpers/fake-electron.ts";

vi.mock("electron", () => import("../../helpers/fake-electron.ts"));

const window = new electron.BrowserWindow({});
beforeEach(() => {
  electron.dialog.showOpenDialog.mockReset();
});

function choose(url: string, channel = "reprise:choose-model-file"): unknown {
  answerBridgeCalls(electron.ipcMain as never, () => desktopText("de"), null);
  const handler = electron.ipcMain.handlers.get(channel);
  return handler?.({ sender: window.webContents, senderFrame: { url, parent: null } } as never);
}

test("the page gets the path of the file that was chosen", async () => {
  electron.dialog.showOpenDialog.mockResolvedValue({ canceled: false, filePaths: ["/models/a.gguf"] });
  expect(await choose("app://reprise/index.html")).toBe("/models/a.gguf");
  expect(electron.dialog.showOpenDialog.mock.lastCall).toMatchObject([
    window,
    { title: "Modelldatei auswählen", filters: [{ extensions: ["gguf"] }] },
  ]);
});

test("an importance matrix may be a file of another kind", async () => {
  electron.dialog.showOpenDialog.mockResolvedValue({ canceled: false, filePaths: ["/models/a.imatrix"] });
  expect(await choose("app://reprise/index.html", "reprise:choose-importance-matrix")).toBe("/models/a.imatrix");
  expect(electron.dialog.showOpenDialog.mock.lastCall).toMatchObject([
    window,
    {
      title: "Wichtigkeitsmatrix auswählen",
      filters: [{ extensions: ["gguf", "imatrix", "dat"] }, { extensions: ["*"] }],
    },
  ]);
});

test("and nothing when the dialog was cancelled", async () => {
  electron.dialog.showOpenDialog.mockResolvedValue({ canceled: true, filePaths: [] });
  expect(await choose("app://reprise/index.html")).toBeNull();
});

test("no other page can open the dialog", async () => {
  expect(await choose("https://example.org/")).toBeNull();
  expect(electron.dialog.showOpenDialog).not.toHaveBeenCalled();
});
