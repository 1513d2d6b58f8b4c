/** The screen of models over real files: found, planned, loaded, set and taken off again. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../helpers/browser.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { openPage, serveTestApp } from "../helpers/test-page.ts";
import { tinyGguf, writeTinyGguf } from "../helpers/tiny-gguf.ts";
import { writeTinyLora } from "../helpers/tiny-lora.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
});

const card = (page: Page, family: string) => page.getByRole("region", { name: family, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");

/** The models screen of an app with the default model, by the keyboard. */
async function openModels(dataFolder = temporaryFolder()): Promise<Page> {
  const app = await serveTestApp(dataFolder);
  const page = await openPage(browser, app.url, { reducedMotion: "reduce" });
  await page.getByRole("textbox", { name: "Message", exact: true }).press("Escape");
  await page.keyboard.press("l");
  await card(page, "SmolLM2 135M Instruct").waitFor();
  return page;
}

async function watch(page: Page, folder: string): Promise<void> {
  await page.getByRole("textbox", { name: "Path of a folder" }).fill(folder);
  await page.keyboard.press("Enter");
}

async function choose(page: Page, within: Locator, item: string): Promise<void> {
  await within.getByRole("button", { name: /^Actions for/ }).click();
  await page.getByRole("menuitem", { name: item }).click();
}

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`);
}

test("what lies in a watched folder is listed, each with what it is or why it cannot be used", async () => {
  const folder = temporaryFolder();
  await writeTinyGguf(join(folder, "tiny.gguf"), { name: "Lantern" });
  await writeTinyLora(join(folder, "lora.gguf"));
  writeFileSync(join(folder, "cut.gguf"), tinyGguf().subarray(0, 200_000));
  const page = await openModels();
  await watch(page, folder);

  const lantern = card(page, "Lantern");
  await lantern.getByText("4,096 (all)").waitFor();
  expect(await lantern.innerText()).toContain("Watched");
  await page.getByText("It goes with a model: name it in that model's load options.").waitFor();
  await page.getByText(/cut\.gguf cannot be used as a model: it is incomplete/).waitFor();
  expect(await violations(page)).toEqual([]);

  await page.getByRole("button", { name: `Stop watching ${folder}` }).click();
  await lantern.waitFor({ state: "detached" });
  await card(page, "SmolLM2 135M Instruct").waitFor();
});

test("a model is planned before it is loaded, and measured as planned when it is", async () => {
  const path = await writeTinyGguf(join(temporaryFolder(), "tiny.gguf"), { name: "Lantern" });
  const page = await openModels();
  await page.getByRole("button", { name: "Add a GGUF file…" }).click();
  await dialog(page).getByRole("textbox", { name: "Path of the file" }).fill(path);
  await dialog(page).getByRole("button", { name: "Add", exact: true }).click();
  const lantern = card(page, "Lantern");
  await lantern.getByText("4,096 (all)").waitFor();

  await choose(page, lantern, "Memory plan…");
  const plan = dialog(page);
  await plan.getByLabel("Users at once").fill("4");
  await plan.getByText(/tokens fit, or 4 users × [\d,]+\./).waitFor();
  const cacheRow = plan.getByRole("row", { name: /^Cache/ });
  const ofFour = await cacheRow.innerText();
  await plan.getByLabel("Users at once").fill("1");
  await plan.getByText(/tokens of context fit\.$/).waitFor();
  expect(await cacheRow.innerText()).not.toBe(ofFour);
  expect(await violations(page)).toEqual([]);
  await plan.getByRole("button", { name: "Load now" }).click();

  await lantern.getByText("in memory", { exact: true }).waitFor();
  await choose(page, lantern, "Memory plan…");
  await dialog(page).getByText("measured, loaded with 4,096 tokens").waitFor();
  const [planned, measured] = await dialog(page)
    .getByRole("row", { name: /^Cache/ })
    .getByRole("cell")
    .allInnerTexts();
  expect(measured).toBe(planned);
});

test("options of a file say what they do to memory, and are kept", async () => {
  const folder = temporaryFolder();
  await writeTinyGguf(join(folder, "tiny.gguf"), { name: "Lantern" });
  const page = await openModels();
  await watch(page, folder);
  const lantern = card(page, "Lantern");
  await lantern.getByText("4,096 (all)").waitFor();

  await choose(page, lantern, "Load options…");
  const options = dialog(page);
  await options.getByText(/with 4,096 tokens of context$/).waitFor();
  const values = options.getByRole("group", { name: "Values kept as" });
  await values.getByText("Q8_0").click();
  await options.getByText(/kB less memory$/).waitFor();
  await options.getByRole("group", { name: "Flash attention" }).getByText("Off").click();
  await options
    .getByRole("alert")
    .getByText(/need flash attention, which is switched off/)
    .waitFor();
  expect(await options.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await options.getByRole("group", { name: "Flash attention" }).getByText("On", { exact: true }).click();
  await options.getByRole("alert").waitFor({ state: "detached" });
  await options.getByRole("button", { name: "Save", exact: true }).click();
  await options.waitFor({ state: "detached" });

  await choose(page, lantern, "Load options…");
  expect(await values.getByRole("radio", { name: "Q8_0" }).isChecked()).toBe(true);
});

test("a file says everything it holds, is checked, and is taken off the list or deleted", async () => {
  const folder = temporaryFolder();
  const kept = await writeTinyGguf(join(folder, "kept.gguf"), { name: "Lantern" });
  const deleted = await writeTinyGguf(join(folder, "deleted.gguf"), { name: "Harbour" });
  const page = await openModels();
  for (const path of [kept, deleted]) {
    await page.getByRole("button", { name: "Add a GGUF file…" }).click();
    await dialog(page).getByRole("textbox", { name: "Path of the file" }).fill(path);
    await page.keyboard.press("Enter");
    await dialog(page).waitFor({ state: "detached" });
  }
  await choose(page, card(page, "Lantern"), "Check the file");
  await dialog(page).getByText("Nothing is wrong with this file.").waitFor();
  await dialog(page).getByRole("row", { name: "general.name Lantern" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");

  await choose(page, card(page, "Lantern"), "Remove…");
  await dialog(page).getByRole("button", { name: "Take off the list" }).click();
  await card(page, "Lantern").waitFor({ state: "detached" });
  await choose(page, card(page, "Harbour"), "Remove…");
  await dialog(page).getByRole("button", { name: "Delete the file" }).click();
  await card(page, "Harbour").waitFor({ state: "detached" });
  expect([existsSync(kept), existsSync(deleted)]).toEqual([true, false]);
});

test("what is set for a model is what new conversations with it begin with", async () => {
  const page = await openModels();
  const smol = card(page, "SmolLM2 135M Instruct");
  await smol.getByRole("button", { name: "Settings…" }).click();
  await dialog(page).getByLabel("System prompt").fill("Answer in one word.");
  await dialog(page).getByLabel("Own sampling").check();
  await dialog(page).getByLabel("Temperature").fill("0.25");
  expect(await violations(page)).toEqual([]);
  await dialog(page).getByRole("button", { name: "Save" }).click();
  await dialog(page).waitFor({ state: "detached" });

  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Hello");
  await page.keyboard.press("Enter");
  await page.getByRole("article", { name: /^Answer of/ }).waitFor();
  await page.getByRole("button", { name: "Conversation settings" }).click();
  expect(await dialog(page).getByLabel("System prompt").inputValue()).toBe("Answer in one word.");
  expect(await dialog(page).getByLabel("Temperature").inputValue()).toBe("0.25");
});
