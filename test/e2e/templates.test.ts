/** The exact prompt of a conversation, and the template it is made with, in a real browser on the default model. */
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../helpers/browser.ts";
import { seedStore } from "../helpers/seed-store.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { openPage, serveTestApp } from "../helpers/test-page.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
});

/** A page with a conversation open, and the exact prompt of its last question. */
async function openPrompt(options: Parameters<typeof openPage>[2] = {}): Promise<Page> {
  const folder = temporaryFolder();
  seedStore(folder, [4]);
  const app = await serveTestApp(folder);
  const page = await openPage(browser, app.url, { reducedMotion: "reduce", ...options });
  await page.getByRole("navigation", { name: "Conversations" }).getByRole("link").first().click();
  await page.getByRole("article").first().waitFor();
  await page.getByRole("heading", { level: 1 }).getByRole("button").click();
  await page.getByRole("menuitem", { name: "Exact prompt…" }).click();
  await page.getByRole("dialog", { name: "Exact prompt" }).getByRole("region", { name: "Prompt" }).waitFor();
  return page;
}

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

test.each([
  ["light", 1280],
  ["dark", 420],
] as const)("prompt and template pass axe in %s, %d pixels wide", async (colorScheme, width) => {
  const page = await openPrompt({ colorScheme, ...(width > 800 && { viewport: { width, height: 800 } }) });
  if (width < 800) await page.setViewportSize({ width, height: 800 });
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: "Chat template…" }).click();
  const dialog = page.getByRole("dialog", { name: "Chat template" });
  await dialog.getByLabel("The template in the model’s file").fill("{% if x %}\n{{ y | }}");
  await dialog.getByText(/^Line 2: /).waitFor();
  expect(await violations(page)).toEqual([]);
});

test("a template is tried while it is typed, told where it is wrong, saved, and gone back from", async () => {
  const page = await openPrompt();
  const prompt = page.getByRole("region", { name: "Prompt" });
  expect(await prompt.innerText()).toContain("<|im_start|>");
  await page.getByRole("button", { name: "Chat template…" }).click();
  const dialog = page.getByRole("dialog", { name: "Chat template" });
  const field = dialog.locator("textarea");
  const save = dialog.getByRole("button", { name: "Save" });

  await field.fill("{% for m in messages %}\n{{ m.content | }}\n{% endfor %}");
  await dialog.getByText("Line 2: unexpected token: }}").waitFor();
  expect(await save.isDisabled()).toBe(true);
  await dialog.getByRole("button", { name: "Go to line 2" }).click();
  const selected = await field.evaluate((area: HTMLTextAreaElement) => [area.selectionStart, area.selectionEnd]);
  expect(selected).toEqual([24, 41]);

  await field.fill("{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}[assistant] ");
  await prompt.getByText("[assistant]").or(prompt.getByText("[")).first().waitFor();
  await expect.poll(() => save.isDisabled()).toBe(false);
  expect(await prompt.innerText()).not.toContain("<|im_start|>");

  // Closed without saving: what was typed is there again.
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.keyboard.press("i");
  await page.getByRole("heading", { level: 1 }).getByRole("button").click();
  await page.getByRole("menuitem", { name: "Exact prompt…" }).click();
  await page.getByRole("button", { name: "Chat template…" }).click();
  await dialog.getByText("Not saved yet. What you typed is kept.").waitFor();
  await expect.poll(() => save.isDisabled()).toBe(false);
  await save.click();
  await dialog.waitFor({ state: "hidden" });

  await page.getByRole("heading", { level: 1 }).getByRole("button").click();
  await page.getByRole("menuitem", { name: "Exact prompt…" }).click();
  await page.getByRole("button", { name: "Chat template…" }).click();
  await dialog.getByText("Your template, in place of the file’s own").waitFor();
  await dialog.getByRole("button", { name: "Use the file’s own" }).click();
  await expect.poll(() => save.isDisabled()).toBe(false);
  await save.click();
  await dialog.waitFor({ state: "hidden" });
});
