/** A real headless Chromium for tests and benches, from the npm package: nothing to install on the machine. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Browser } from "playwright-core";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** Unpacks Chromium once into a folder of its own: the package takes whatever already lies in the temp folder. */
async function chromiumPath(): Promise<string> {
  const folder = join(repository, ".reprise", "chromium");
  mkdirSync(folder, { recursive: true });
  const temporary = process.env["TMPDIR"];
  process.env["TMPDIR"] = folder;
  try {
    const { default: packaged } = await import("@sparticuz/chromium");
    return await packaged.executablePath();
  } finally {
    if (temporary === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = temporary;
  }
}

export async function launchBrowser(): Promise<Browser> {
  // No sandbox: CI runs as root. No background requests: the machine has no network, and the app's are to be seen alone.
  const args = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"];
  return chromium.launch({ executablePath: await chromiumPath(), args });
}
