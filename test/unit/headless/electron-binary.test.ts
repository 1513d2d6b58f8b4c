import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fetchElectron, findElectron } from "../../../src-main/headless/electron-binary.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

function packageFolder({ binary, name }: { binary: boolean; name: boolean }): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "dist"));
  if (binary) writeFileSync(join(folder, "dist", "electron"), "");
  if (name) writeFileSync(join(folder, "path.txt"), "electron");
  return folder;
}

test("the binary is found once it was fetched whole", () => {
  const folder = packageFolder({ binary: true, name: true });
  expect(findElectron(folder, {})).toBe(join(folder, "dist", "electron"));
  expect(findElectron(packageFolder({ binary: false, name: true }), {})).toBeNull();
  expect(findElectron(packageFolder({ binary: true, name: false }), {})).toBeNull();
});

test("the binary may lie elsewhere", () => {
  const folder = packageFolder({ binary: false, name: true });
  const elsewhere = temporaryFolder();
  writeFileSync(join(elsewhere, "electron"), "");
  expect(findElectron(folder, { ELECTRON_OVERRIDE_DIST_PATH: elsewhere })).toBe(join(elsewhere, "electron"));
});

test("an installer that works brings it", async () => {
  const folder = packageFolder({ binary: true, name: false });
  writeFileSync(join(folder, "install.js"), `require("fs").writeFileSync(__dirname + "/path.txt", "electron")`);
  expect(await fetchElectron(folder, new AbortController().signal)).toBe(join(folder, "dist", "electron"));
});

test("an installer that fails brings nothing", async () => {
  const folder = packageFolder({ binary: false, name: false });
  writeFileSync(join(folder, "install.js"), `console.error("fetch failed"); process.exit(1)`);
  expect(await fetchElectron(folder, new AbortController().signal)).toBeNull();
});

test("an installer that hangs is ended when the start is stopped", async () => {
  const folder = packageFolder({ binary: false, name: false });
  writeFileSync(join(folder, "install.js"), "setInterval(() => {}, 1000)");
  const stop = new AbortController();
  const fetched = fetchElectron(folder, stop.signal);
  stop.abort();
  expect(await fetched).toBeNull();
});
