/** Makes the README's pictures with the tests' browser: a real conversation with the default model, light and dark. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { launchBrowser } from "../test/helpers/browser.ts";
import { serveApp } from "../test/helpers/served-app.ts";

const folder = fileURLToPath(new URL("readme/", import.meta.url));
const earlier = ["Tomato soup for six", "A letter to the landlord", "Names for a grey cat"];
const questions = ["What is a lighthouse? Answer in two sentences.", "Name three famous ones in a list."];

const answers = (page: Page) => page.getByRole("article", { name: /^Answer of/ });
const composer = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

async function ask(page: Page, text: string): Promise<void> {
  const count = await answers(page).count();
  await composer(page).fill(text);
  await composer(page).press("Enter");
  await answers(page).nth(count).waitFor();
  await page.getByRole("button", { name: "Copy answer" }).nth(count).waitFor({ timeout: 120_000 });
}

/** Always the likeliest token, and not too many. */
async function plainSampling(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Conversation settings" }).click();
  const dialog = page.getByRole("dialog", { name: "Conversation settings" });
  await dialog.getByLabel("Temperature").fill("0");
  await dialog.getByLabel("Longest answer (tokens)").fill("200");
  await dialog.getByRole("button", { name: "Save" }).click();
}

const data = mkdtempSync(join(tmpdir(), "reprise-screenshots-"));
try {
  await using app = await serveApp(data);
  const browser = await launchBrowser();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
  const page = await context.newPage();
  await page.goto(app.url);
  for (const title of earlier) {
    await plainSampling(page);
    await ask(page, title);
    await page.getByRole("button", { name: "New conversation" }).click();
  }
  await plainSampling(page);
  for (const question of questions) await ask(page, question);
  await composer(page).press("Escape");
  await page.keyboard.press("i");
  await page.getByRole("complementary", { name: "Inspector" }).waitFor();
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: join(folder, `chat-${colorScheme}.png`) });
  }
  await browser.close();
} finally {
  rmSync(data, { recursive: true, force: true });
}
