/** Another level of a model, made in a real browser's window by the real quantizer. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../helpers/browser.ts";
import { startModelHub } from "../helpers/model-hub.ts";
import { hubWith } from "../helpers/hub-repositories.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { openPage, serveTestApp } from "../helpers/test-page.ts";
import { writeTinyGguf } from "../helpers/tiny-gguf.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
});

/** An app with one tiny model, and a hub that has nothing. */
async function appWithTiny() {
  const folder = temporaryFolder();
  const modelsFolder = join(folder, "models");
  mkdirSync(modelsFolder);
  await writeTinyGguf(join(modelsFolder, "tiny-F16.gguf"), { name: "Tiny", ends: "soon" });
  const hub = await startModelHub(hubWith({}));
  return serveTestApp(join(folder, "data"), { modelsFolder, hubUrl: hub.url });
}

async function openDialog(page: Page, level: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message", exact: true }).press("Escape");
  await page.keyboard.press("l");
  await page.getByRole("button", { name: new RegExp(`^Actions for .*${level}`) }).click();
  await page.getByRole("menuitem", { name: "Make another level…" }).click();
  await page.getByRole("dialog", { name: "Make another level" }).waitFor();
}

test("a level is planned, made, and used at once; made again from it, only with consent", async () => {
  const app = await appWithTiny();
  const page = await openPage(browser, app.url);
  await openDialog(page, "F16");
  await page.getByRole("radio", { name: /^Q8_0/ }).check();
  await page.getByText(/tiny-Q8_0\.gguf$/).waitFor();
  await page.getByRole("button", { name: "Make Q8_0" }).click();
  await page.getByText(/checked and ready/).waitFor();
  await page.getByRole("button", { name: "Use tiny-F16.gguf → Q8_0" }).click();
  await page.getByRole("button", { name: /Tiny/ }).getByText("Q8_0").waitFor();

  await openDialog(page, "F16");
  await page.getByRole("radio", { name: /^Q8_0/ }).check();
  const make = page.getByRole("button", { name: "Make Q8_0" });
  const replace = page.getByRole("checkbox", { name: /^Replace the file that is there/ });
  await replace.waitFor();
  expect(await make.isDisabled()).toBe(true);
  await replace.check();
  expect(await make.isEnabled()).toBe(true);
});

test.each([
  ["light", 1280],
  ["dark", 420],
] as const)("making a level passes axe in %s, %d pixels wide", async (colorScheme, width) => {
  const app = await appWithTiny();
  const page = await openPage(browser, app.url, {
    colorScheme,
    viewport: { width, height: 800 },
    reducedMotion: "reduce",
  });
  await openDialog(page, "F16");
  await page.getByText(/tiny-Q4_K_M\.gguf$/).waitFor();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)).toEqual([]);
});
