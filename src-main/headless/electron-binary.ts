/** Electron's executable, which its package leaves to be fetched when it is first needed. */
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** About 110 MB: minutes on a slow line. A line that is down fails at once. */
const fetchTimeoutMs = 10 * 60_000;

/** `packageFolder`: where the package `electron` lies. `null` until the binary has been fetched whole. */
export function findElectron(
  packageFolder: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | null {
  // Its installer writes this file last.
  const nameFile = join(packageFolder, "path.txt");
  if (!existsSync(nameFile)) return null;
  const folder = environment["ELECTRON_OVERRIDE_DIST_PATH"] ?? join(packageFolder, "dist");
  const executable = join(folder, readFileSync(nameFile, "utf8").trim());
  return existsSync(executable) ? executable : null;
}

/** Runs the package's own installer without a word. `null` where the binary cannot be had. */
export async function fetchElectron(packageFolder: string, stop: AbortSignal): Promise<string | null> {
  const installer = spawn(process.execPath, [join(packageFolder, "install.js")], {
    stdio: "ignore",
    cwd: dirname(packageFolder),
    env: { ...process.env, ELECTRON_GET_NO_PROGRESS: "1" },
    signal: AbortSignal.any([stop, AbortSignal.timeout(fetchTimeoutMs)]),
    killSignal: "SIGKILL",
  });
  await new Promise<void>((resolve) => {
    // Its cause is of no use to a person: what counts is whether the binary is there afterwards.
    installer.once("error", () => {
      resolve();
    });
    installer.once("exit", () => {
      resolve();
    });
  });
  return findElectron(packageFolder);
}
