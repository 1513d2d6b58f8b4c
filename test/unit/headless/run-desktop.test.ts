import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runDesktop } from "../../../src-main/headless/run-desktop.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

/** Stands for Electron: gets the app's folder and the words as its arguments. */
function fakeElectron(script: string): string {
  const path = join(temporaryFolder(), "electron");
  writeFileSync(path, `#!/usr/bin/env node\n${script}`);
  chmodSync(path, 0o755);
  return path;
}

describe.skipIf(process.platform === "win32")("the desktop's process", () => {
  test("gets the app and the words, and its end is passed on", async () => {
    const electron = fakeElectron(`process.exit(process.argv.slice(2).join() === "/app,--x" ? 0 : 1)`);
    expect(await runDesktop(electron, "/app", ["--x"])).toEqual({ code: 0, signal: null, neverStarted: false });
  });

  test("that fails at once has never started", async () => {
    expect(await runDesktop(fakeElectron("process.exit(127)"), "/app", [])).toMatchObject({
      code: 127,
      neverStarted: true,
    });
    expect(await runDesktop(fakeElectron(`process.kill(process.pid, "SIGTRAP")`), "/app", [])).toMatchObject({
      signal: "SIGTRAP",
      neverStarted: true,
    });
  });

  test("that said why it cannot open has started", async () => {
    expect(await runDesktop(fakeElectron("process.exit(3)"), "/app", [])).toMatchObject({
      code: 3,
      neverStarted: false,
    });
  });

  test("that cannot be run has never started", async () => {
    expect(await runDesktop(join(temporaryFolder(), "gone"), "/app", [])).toMatchObject({ neverStarted: true });
  });

  test("gets the signals meant for it, and ending by one is no failed start", async () => {
    const electron = fakeElectron(
      `process.on("SIGTERM", () => process.exit(5)); process.kill(process.ppid, "SIGUSR2"); setInterval(() => {}, 1000)`,
    );
    process.once("SIGUSR2", () => process.emit("SIGTERM"));
    expect(await runDesktop(electron, "/app", [])).toEqual({ code: 5, signal: null, neverStarted: false });
  });

  test("leaves no listener behind", async () => {
    const before = process.listenerCount("SIGTERM");
    await runDesktop(fakeElectron(""), "/app", []);
    expect(process.listenerCount("SIGTERM")).toBe(before);
  });
});
