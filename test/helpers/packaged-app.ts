/** Packages the app without Electron's binary: electron-builder is given a stand-in of the same shape. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import electron from "electron/package.json" with { type: "json" };

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** What marks the fuses in Electron's executable, followed by the version, their number and their states. */
const fuseSentinel = "dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX";
const fuseCount = 9;

/** An Electron for Linux that starts nothing, with all fuses as they are delivered: on. */
function writeElectronStandIn(folder: string): void {
  for (const name of ["locales", "resources"]) mkdirSync(join(folder, name), { recursive: true });
  const executable = join(folder, "electron");
  writeFileSync(
    executable,
    `#!/bin/sh\nexit 1\n${fuseSentinel}\u0001${String.fromCharCode(fuseCount)}${"1".repeat(fuseCount)}`,
  );
  chmodSync(executable, 0o755);
  const files = { version: electron.version, LICENSE: "", "LICENSES.chromium.html": "" };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  for (const locale of ["de", "en-US", "fr"]) writeFileSync(join(folder, "locales", `${locale}.pak`), "");
}

/** Packages what is in `out` below `folder`, as `npm run package` does; returns the folder of the unpacked app. Linux only. */
export function packageApp(folder: string): string {
  const standIn = join(folder, "electron");
  writeElectronStandIn(standIn);
  const run = (...parameters: string[]): void => {
    execFileSync(process.execPath, parameters, { cwd: repository, stdio: ["ignore", "ignore", "pipe"] });
  };
  run("build/notices.ts");
  run(
    "node_modules/electron-builder/cli.js",
    ...["--dir", "--linux", "--config", "build/electron-builder.yml"],
    `-c.electronDist=${standIn}`,
    `-c.directories.output=${join(folder, "release")}`,
  );
  return join(folder, "release", process.arch === "x64" ? "linux-unpacked" : `linux-${process.arch}-unpacked`);
}
