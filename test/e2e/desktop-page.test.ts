import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../helpers/browser.ts";
import { builtOutput } from "../helpers/built-output.ts";
import { openDesktopPage } from "../helpers/desktop-page.ts";
import { openTestApp } from "../helpers/open-test-app.ts";

let browser: Browser;
let rendererFolder: string;
beforeAll(async () => {
  rendererFolder = join(builtOutput(), "renderer");
  browser = await launchBrowser();
});
afterAll(() => browser.close());

async function open() {
  const { router } = await openTestApp({ host: "desktop" });
  return openDesktopPage(browser, rendererFolder, router);
}

test("a chat goes over the desktop's port, and breaks no rule of its policy", async () => {
  const { page, violations } = await open();
  await page.getByRole("textbox", { name: /message/i }).fill("Hello **there**, `friend`");
  await page.keyboard.press("Enter");
  const answer = page.getByRole("article", { name: /answer of echo/i });
  await answer.getByRole("button", { name: "Copy answer" }).waitFor();
  expect(await answer.innerText()).toContain("Hello");
  expect(await violations()).toEqual([]);
});

test("the application menu reaches the page", async () => {
  const { page, choose, violations } = await open();
  await page.getByRole("textbox", { name: /message/i }).waitFor();
  const opened = {
    settings: page.getByRole("dialog", { name: "Settings" }),
    help: page.getByRole("dialog", { name: "Keyboard" }),
    models: page.getByRole("dialog", { name: "Models" }),
  };
  for (const command of ["settings", "help", "models"] as const) {
    await choose(command);
    await opened[command].waitFor();
    await page.keyboard.press("Escape");
    await opened[command].waitFor({ state: "detached" });
  }
  await choose("toggle-inspector");
  await page.getByRole("complementary", { name: "Inspector" }).waitFor();
  await choose("toggle-sidebar");
  await page.getByRole("navigation", { name: "Conversations" }).waitFor({ state: "detached" });
  expect(await violations()).toEqual([]);
});

test("a page that is loaded again goes on where it was", async () => {
  const { page } = await open();
  await page.getByRole("textbox", { name: /message/i }).fill("Remember me");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Copy answer" }).waitFor();
  await page.reload();
  await page.getByRole("navigation", { name: "Conversations" }).getByText("Remember me").click();
  await page
    .getByRole("article", { name: /your message/i })
    .getByText("Remember me")
    .waitFor();
});
