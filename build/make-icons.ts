/** Draws build/icon.svg in a headless Chromium and writes the PNG files electron-builder takes. Run it after changing the drawing. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { launchBrowser } from "../test/helpers/browser.ts";

const build = fileURLToPath(new URL(".", import.meta.url));

/** Linux looks for an icon in each size; macOS and Windows are served from the largest. */
const linuxSizes = [16, 32, 48, 64, 128, 256, 512];
const largestSize = 1024;

const svg = await readFile(`${build}icon.svg`, "utf8");
await mkdir(`${build}icons`, { recursive: true });
await using browser = await launchBrowser();
const page = await browser.newPage();
for (const size of [...linuxSizes, largestSize]) {
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(`<style>* { margin: 0 } svg { display: block; width: ${size}px }</style>${svg}`);
  const png = await page.screenshot({ omitBackground: true });
  await writeFile(size === largestSize ? `${build}icon.png` : `${build}icons/${size}x${size}.png`, png);
}
