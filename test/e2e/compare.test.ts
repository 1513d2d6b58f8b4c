/** Two models side by side, and how much levels agree, as a person meets them in a real browser. */
import { appendFileSync } from "node:fs";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../helpers/browser.ts";
import { writeModel } from "../helpers/open-test-app.ts";
import { serveEchoApp } from "../helpers/serve-echo-app.ts";
import { openPage } from "../helpers/test-page.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
});

const typing = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });

/** A conversation with an answer, and two more levels to compare. */
async function openComparison(options: Parameters<typeof openPage>[2] = {}) {
  const app = await serveEchoApp();
  for (const name of ["fine", "coarse"]) {
    const path = writeModel(app.modelsFolder, `${name}.gguf`);
    // The largest one is the reference.
    if (name === "fine") appendFileSync(path, "more");
    await app.client.models.add({ path });
  }
  const page = await openPage(browser, app.url, options);
  await typing(page).fill("hello there, how are you today?");
  await page.keyboard.press("Enter");
  await page.getByRole("article").getByText("You said: hello there, how are you today?").first().waitFor();
  await typing(page).press("Escape");
  await page.keyboard.press("c");
  await page.getByRole("heading", { name: "Two models side by side" }).waitFor();
  await page.getByRole("combobox", { name: "First model" }).selectOption({ label: "fine" });
  await page.getByRole("combobox", { name: "Second model" }).selectOption({ label: "coarse" });
  return { app, page };
}

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

test("both answer, the first other word is told, and one answer is kept", async () => {
  const { page } = await openComparison();
  await typing(page).fill("one two three");
  await page.getByRole("button", { name: "Compare", exact: true }).click();
  await page.getByText("The same for 2 words; the first other word is marked.").waitFor();
  expect(await page.evaluate(() => CSS.highlights.get("first-difference")?.size)).toBe(2);
  // What is typed stays until an answer is kept.
  expect(await typing(page).inputValue()).toBe("one two three");
  await page
    .getByRole("region", { name: "Second model: coarse" })
    .getByRole("button", { name: "Keep this answer" })
    .click();
  await page
    .getByRole("article", { name: /coarse/ })
    .getByText("You said: ONE! two three")
    .waitFor();
  expect(await typing(page).inputValue()).toBe("");
});

test("closing keeps nothing but what is typed", async () => {
  const { page, app } = await openComparison();
  await typing(page).fill("one two three");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Keep this answer" }).first().waitFor();
  await page.getByRole("button", { name: "Close the comparison" }).click();
  expect(await typing(page).inputValue()).toBe("one two three");
  const [conversation] = await app.client.conversations.list();
  const { messages } = await app.client.conversations.get({ conversationId: conversation?.id ?? "" });
  expect(messages).toHaveLength(2);
});

test("agreement is measured and told with its interval", async () => {
  const { page } = await openComparison();
  await page.getByRole("button", { name: "Measure all" }).click();
  const row = page.getByRole("row", { name: /^coarse/ });
  await row.getByText("between").waitFor();
  // Eight pieces, every fourth another one.
  await row.getByText("75.0%").waitFor();
  await row.getByText("1 of 1").waitFor();
});

test.each([
  ["light", 1280],
  ["dark", 420],
] as const)("passes axe in %s, %d pixels wide", async (colorScheme, width) => {
  const { page } = await openComparison({ colorScheme, viewport: { width, height: 800 }, reducedMotion: "reduce" });
  expect(await violations(page)).toEqual([]);
  await typing(page).fill("one two three");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Keep this answer" }).nth(1).waitFor();
  await page.getByRole("button", { name: "Measure all" }).click();
  await page
    .getByText("1 of 1")
    .first()
    .waitFor({ state: width < 800 ? "attached" : "visible" });
  expect(await violations(page)).toEqual([]);
});
