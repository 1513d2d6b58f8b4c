import { execFileSync } from "node:child_process";
import { existsSync, globSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const sources = ["src-main/**/*", "src-renderer/**/*", "electron.config.ts", "package.json"];
const outputs = ["main/desktop.js", "preload/preload.cjs", "renderer/index.html"];

function modifiedAtMs(path: string): number {
  return statSync(path).mtimeMs;
}

function isUpToDate(outFolder: string): boolean {
  const built = outputs.map((output) => join(outFolder, output));
  if (!built.every((output) => existsSync(output))) return false;
  const files = globSync(sources, { cwd: repository, exclude: ["src-renderer/paraglide/**"], withFileTypes: true });
  const newest = Math.max(
    ...files.filter((file) => file.isFile()).map((file) => modifiedAtMs(join(file.parentPath, file.name))),
  );
  return newest < Math.min(...built.map(modifiedAtMs));
}

/** The folder `out`, built anew where a source is newer than it. */
export function builtOutput(): string {
  const outFolder = join(repository, "out");
  if (!isUpToDate(outFolder)) {
    const electronVite = join(repository, "node_modules", "electron-vite", "bin", "electron-vite.js");
    const parameters = [electronVite, "build", "--config", "electron.config.ts", "--logLevel", "error"];
    execFileSync(process.execPath, parameters, { cwd: repository, stdio: ["ignore", "ignore", "inherit"] });
  }
  return outFolder;
}
