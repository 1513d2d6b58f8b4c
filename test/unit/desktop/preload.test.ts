import { expect, test, vi } from "vitest";
import type { DesktopBridge } from "../../../src-main/contract/desktop-bridge.ts";
import * as electron from "../../helpers/fake-electron.ts";

vi.mock("electron", () => import("../../helpers/fake-electron.ts"));

const postMessage = vi.fn();
vi.stubGlobal("window", { postMessage });
await import("../../../src-main/desktop/preload.ts");
const [[name, bridge] = []] = electron.contextBridge.exposeInMainWorld.mock.calls as [string, DesktopBridge][];
if (bridge === undefined) throw new Error("The preload gave the page nothing.");

test("the page gets these calls and nothing of Electron", () => {
  expect(name).toBe("repriseDesktop");
  expect(Object.keys(bridge).toSorted()).toEqual([
    "chooseImportanceMatrix",
    "chooseModelFile",
    "connect",
    "onMenuCommand",
    "pathOfFile",
    "platform",
  ]);
});

test("a port that main sends goes on to the page", () => {
  bridge.connect();
  expect(electron.ipcRenderer.send).toHaveBeenCalledWith("reprise:connect");
  const port = { name: "port" };
  electron.ipcRenderer.emit("reprise:port", { ports: [port] });
  expect(postMessage).toHaveBeenCalledExactlyOnceWith("reprise:port", "*", [port]);
});

test("a file is chosen in main's dialog", async () => {
  electron.ipcRenderer.invoke.mockResolvedValueOnce("/models/a.gguf");
  expect(await bridge.chooseModelFile()).toBe("/models/a.gguf");
  electron.ipcRenderer.invoke.mockResolvedValueOnce("/models/a.imatrix");
  expect(await bridge.chooseImportanceMatrix()).toBe("/models/a.imatrix");
});

test("a dropped file has its path", () => {
  expect(bridge.pathOfFile({ name: "a.gguf" } as File)).toBe("/home/me/a.gguf");
});

test("menu commands reach the page until it stops listening, without the event they came with", () => {
  const listener = vi.fn();
  const stop = bridge.onMenuCommand(listener);
  electron.ipcRenderer.emit("reprise:menu-command", { sender: "main" }, "search");
  stop();
  electron.ipcRenderer.emit("reprise:menu-command", { sender: "main" }, "settings");
  expect(listener.mock.calls).toEqual([["search"]]);
});
