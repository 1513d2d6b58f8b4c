/** What every screen owes a person: names, contrast, their language, their theme, and no network. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser } from "../helpers/browser.ts";
import { seedStore } from "../helpers/seed-store.ts";
import type { ServedApp } from "../helpers/served-app.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { openPage, serveTestApp } from "../helpers/test-page.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
});

/** An app with conversations in it. */
async function appWithConversations(): Promise<ServedApp> {
  const folder = temporaryFolder();
  seedStore(folder, new Array<number>(12).fill(6));
  return serveTestApp(folder);
}

/** Of the screen as it is when it has arrived: the heading comes with what it is the heading of. */
async function violations(page: Page): Promise<string[]> {
  await page.locator("h1").first().waitFor();
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

describe.each(["light", "dark"] as const)("in %s", (colorScheme) => {
  test.each([1280, 420])("every screen passes axe, %d pixels wide", async (width) => {
    const app = await appWithConversations();
    const page = await openPage(browser, app.url, {
      colorScheme,
      viewport: { width, height: 800 },
      // Contrast is measured on what stands still, not in the middle of a fade.
      reducedMotion: "reduce",
    });
    const found: Record<string, string[]> = {};

    await page.getByRole("textbox", { name: "Message", exact: true }).waitFor();
    found["first screen"] = await violations(page);

    if (width < 800) await page.getByRole("button", { name: "Show list" }).click();
    await page.getByRole("navigation", { name: "Conversations" }).getByRole("link").first().click();
    await page.getByRole("article").first().waitFor();
    found["conversation"] = await violations(page);

    await page.keyboard.press("Control+l");
    await page.getByRole("dialog", { name: "Models" }).getByRole("button", { pressed: true }).waitFor();
    found["models of the conversation"] = await violations(page);
    await page.keyboard.press("Escape");

    await page.getByRole("textbox", { name: "Message", exact: true }).press("Escape");
    await page.keyboard.press("i");
    await page.getByRole("complementary", { name: "Inspector" }).waitFor();
    found["inspector"] = await violations(page);
    await page.keyboard.press("i");

    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
    found["help"] = await violations(page);
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Conversation settings" }).click();
    await page.getByRole("dialog", { name: "Conversation settings" }).waitFor();
    found["conversation settings"] = await violations(page);

    await page.keyboard.press("Escape");

    await page.keyboard.press("m");
    await page.getByRole("heading", { name: "Memory", exact: true }).waitFor();
    await page.getByRole("slider").waitFor();
    found["memory"] = await violations(page);

    await page.keyboard.press("l");
    await page.getByRole("region", { name: "SmolLM2 135M Instruct" }).getByText("8,192 (all)").waitFor();
    found["models"] = await violations(page);

    for (const screen of Object.values(found)) expect(screen).toEqual([]);
    expect(Object.keys(found)).toHaveLength(8);
  });
});

test("a German browser gets German, and the switch to English needs no reload", async () => {
  const app = await appWithConversations();
  const page = await openPage(browser, app.url, { locale: "de-DE" });
  await page.getByRole("navigation", { name: "Unterhaltungen" }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("de");

  await page.getByRole("button", { name: "Einstellungen", exact: true }).click();
  await page.getByText("English", { exact: true }).click();

  await page.getByRole("dialog", { name: "Settings" }).waitFor();
  expect(await page.locator("html").getAttribute("lang")).toBe("en");
});

test("the page asks nobody but Reprise for anything", async () => {
  const app = await appWithConversations();
  const page = await openPage(browser, "about:blank");
  const asked = new Set<string>();
  page.on("request", (request) => asked.add(new URL(request.url()).origin));
  page.on("websocket", (socket) => asked.add(new URL(socket.url()).host));

  await page.goto(app.url);
  await page.getByRole("navigation", { name: "Conversations" }).getByRole("link").first().click();
  await page.getByRole("article").first().waitFor();

  const { origin, host } = new URL(app.url);
  expect([...asked].sort()).toEqual([host, origin].sort());
});
