/** Two levels of one model in one conversation, in a real browser: switched by keys, and back. */
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../helpers/browser.ts";
import { quantizeFile } from "../helpers/quantize-tiny.ts";
import { noModelsFolder } from "../helpers/start-cli.ts";
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

const wait = { timeout: 60_000 };
const field = (page: Page) => page.getByRole("textbox", { name: "Message", exact: true });
const pill = (page: Page) => page.getByRole("button", { name: /^Model:/ });
const answers = (page: Page) => page.getByRole("article", { name: /^Answer of/ });
const signatures = (page: Page) => page.getByTestId("signature").allInnerTexts();

/** A page of an app with both levels on the list, on a conversation that is not begun. */
async function openLevels(): Promise<Page> {
  const folder = temporaryFolder();
  const fine = await writeTinyGguf(join(folder, "fine.gguf"));
  const { path: coarse } = await quantizeFile(fine, "Q8_0");
  const { url } = await serveTestApp(join(folder, "data"), { modelsFolder: noModelsFolder });
  const page = await openPage(browser, url, { reducedMotion: "reduce" });
  for (const path of [coarse, fine]) {
    await pill(page).click();
    await page.getByRole("dialog", { name: "Models" }).getByRole("button", { name: "Add a GGUF file…" }).click();
    await page.getByRole("textbox", { name: "Path of the file" }).fill(path);
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
  }
  return page;
}

/** Answers that are short and the same every time. */
async function shortAnswers(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Conversation settings" }).click();
  const dialog = page.getByRole("dialog", { name: "Conversation settings" });
  await dialog.getByLabel("Temperature").fill("0");
  await dialog.getByLabel("Longest answer (tokens)").fill("8");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
}

/** Sends a message, and returns how many tokens of its prompt were reused, and how many it has. */
async function ask(page: Page, text: string): Promise<{ reused: number; prompt: number }> {
  const before = await answers(page).count();
  await field(page).fill(text);
  await field(page).press("Enter");
  await expect.poll(() => answers(page).count(), wait).toBe(before + 1);
  await expect.poll(() => answers(page).last().getAttribute("aria-busy"), wait).toBe("false");
  const [, reused, prompt] = /(\d+) of (\d+) prompt tokens reused/.exec(await answers(page).last().innerText()) ?? [];
  return { reused: Number(reused), prompt: Number(prompt) };
}

/** Everything a switch has said to those who hear, from now on. */
async function announcements(page: Page): Promise<() => Promise<string[]>> {
  const said = await page.evaluateHandle(() => {
    const now = () => document.querySelector("[data-testid=switching]")?.textContent ?? "";
    const texts: string[] = [];
    let last = now();
    new MutationObserver(() => {
      if (now() !== last) texts.push((last = now()));
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    return texts;
  });
  return () => said.jsonValue();
}

test("a conversation goes on with another level after two keys, and back where it was", async () => {
  const page = await openLevels();
  await shortAnswers(page);
  await ask(page, "What is the capital of France?");
  expect(await signatures(page)).toEqual([]);

  await page.keyboard.press("Control+l");
  const menu = page.getByRole("dialog", { name: "Models" });
  const rows = menu.getByRole("button", { pressed: true });
  await rows.waitFor();
  const cost = menu.getByTestId("switch-cost");
  // It was loaded when it was added, and stayed when the other one came.
  const inMemory = /^In memory already, computes \d+ tokens again.*; F16 stays in memory\.$/;
  await expect.poll(() => cost.allInnerTexts(), wait).toEqual([expect.stringMatching(inMemory)]);
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  const said = await announcements(page);
  await page.keyboard.press("1");
  await expect.poll(() => pill(page).innerText(), wait).toContain("Q8_0");
  await expect.poll(said, wait).toEqual(["Switching to Q8_0", ""]);
  await ask(page, "And of Italy?");
  expect(await signatures(page)).toEqual(["F16", "Q8_0"]);
  expect(await page.getByTestId("handover").allInnerTexts()).toEqual(["from here on Q8_0"]);

  // A digit alone, since no field has the focus.
  await page.keyboard.press("Escape");
  await page.keyboard.press("2");
  await expect.poll(() => pill(page).innerText(), wait).toContain("F16");
  await expect.poll(said, wait).toHaveLength(4);
  const back = await ask(page, "And of Spain?");
  expect(back.prompt - back.reused).toBeLessThan(back.prompt / 2);
  expect(await page.getByTestId("handover").count()).toBe(2);
});

test("a level that is chosen before anything is said costs nothing and answers first", async () => {
  const page = await openLevels();
  await shortAnswers(page);
  await field(page).press("Escape");
  await page.keyboard.press("1");
  await expect.poll(() => pill(page).innerText(), wait).toContain("Q8_0");
  await ask(page, "Hello");
  expect(await answers(page).first().getAttribute("aria-label")).toContain("Q8_0");
  expect(await page.getByTestId("handover").count()).toBe(0);
});
