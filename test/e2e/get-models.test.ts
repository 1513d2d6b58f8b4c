/** Models from the hub, in a real browser: looked up, fetched, used at once. The hub is one on this machine. */
import { mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { AxeBuilder } from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser } from "../helpers/browser.ts";
import { defaultModelPath } from "../helpers/default-model.ts";
import { hubWith } from "../helpers/hub-repositories.ts";
import { serves, servesOnly, startModelHub } from "../helpers/model-hub.ts";
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

/** An app with the default model in a folder of its own, and a hub whose files come only in part until it is told. */
async function appWithHub() {
  const folder = temporaryFolder();
  const tiny = readFileSync(await writeTinyGguf(join(folder, "tiny.gguf"), { name: "Tiny of the hub", ends: "soon" }));
  let isWhole = false;
  const hub = await startModelHub(
    hubWith({ "someone/tiny": { files: { "tiny-F16.gguf": tiny } } }, (content) =>
      isWhole ? serves(content) : servesOnly(content, 100_000, () => undefined),
    ),
  );
  const modelsFolder = join(folder, "models");
  mkdirSync(modelsFolder);
  const model = await defaultModelPath();
  symlinkSync(model, join(modelsFolder, basename(model)));
  const app = await serveTestApp(join(folder, "data"), { modelsFolder, hubUrl: hub.url });
  const serveAll = () => {
    isWhole = true;
  };
  const arrivedBytes = () =>
    statSync(join(modelsFolder, "someone", "tiny", "tiny-F16.gguf.part"), { throwIfNoEntry: false })?.size;
  return { app, hub, serveAll, arrivedBytes };
}

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}

async function showGetModels(page: Page): Promise<void> {
  await page.getByRole("textbox", { name: "Message", exact: true }).press("Escape");
  await page.keyboard.press("l");
  await page.getByRole("link", { name: "Get models" }).click();
  await page.getByText("SmolLM2 360M Instruct").first().waitFor();
}

async function lookUp(page: Page, repository: string): Promise<void> {
  await page.getByRole("textbox", { name: "Repository of the model hub, or its address" }).fill(repository);
  await page.keyboard.press("Enter");
}

test("a model of the hub is looked up, fetched with a pause, and answers at once; nothing is asked before", async () => {
  const { app, hub, serveAll } = await appWithHub();
  const page = await openPage(browser, app.url);
  await showGetModels(page);
  expect(hub.requests).toHaveLength(0);

  await lookUp(page, "someone/nothing");
  await page.getByText("The model hub has nothing under the name someone/nothing.").waitFor();
  await page.keyboard.press("Escape");
  await lookUp(page, `${hub.url}/not-a-name`);
  await page.getByText(/is no name of a repository on the model hub/).waitFor();
  await page.keyboard.press("Escape");

  await lookUp(page, "someone/tiny");
  const dialog = page.getByRole("dialog", { name: "someone/tiny" });
  await dialog.getByRole("radio", { name: /F16 suggested/ }).waitFor();
  await dialog.getByRole("button", { name: /^Download/ }).click();
  const name = "someone/tiny · F16";
  await page.getByRole("button", { name: `Pause ${name}` }).click();
  await page.getByText(/^Paused · .* kept$/).waitFor();

  serveAll();
  await page.getByRole("button", { name: `Go on with ${name}` }).click();
  await page.getByText(/verified and ready/).waitFor();
  await page.getByRole("button", { name: `Use ${name}` }).click();
  const message = page.getByRole("textbox", { name: "Message", exact: true });
  await page.getByRole("button", { name: /Tiny of the hub/ }).waitFor();
  await message.fill("Hello");
  await page.keyboard.press("Enter");
  const answer = page.getByRole("article", { name: /^Answer of/ });
  await expect.poll(() => answer.getAttribute("aria-busy"), { timeout: 90_000 }).toBe("false");
  expect(await answer.innerText()).toContain("tokens/s");
});

test("a download is cancelled only after a question where something has arrived", async () => {
  const { app, arrivedBytes } = await appWithHub();
  const page = await openPage(browser, app.url);
  await showGetModels(page);
  await lookUp(page, "someone/tiny");
  await page.getByRole("button", { name: /^Download/ }).click();
  await expect.poll(arrivedBytes, { timeout: 20_000 }).toBe(100_000);
  const cancel = page.getByRole("button", { name: "Cancel someone/tiny · F16" });
  await page.getByRole("button", { name: "Pause someone/tiny · F16" }).click();
  await page.getByText(/^Paused · 100.kB/).waitFor();
  await cancel.click();
  await page.getByRole("button", { name: "Keep it" }).click();
  await cancel.click();
  await page.getByRole("button", { name: "Cancel and remove" }).click();
  await expect.poll(() => cancel.count()).toBe(0);
  expect(await page.getByText(/verified and ready/).count()).toBe(0);
});

test.each([
  ["light", 1280],
  ["dark", 1280],
  ["light", 420],
  ["dark", 420],
] as const)("getting models passes axe in %s, %d pixels wide", async (colorScheme, width) => {
  const { app } = await appWithHub();
  const page = await openPage(browser, app.url, {
    colorScheme,
    viewport: { width, height: 800 },
    reducedMotion: "reduce",
  });
  await showGetModels(page);
  expect(await violations(page)).toEqual([]);

  await lookUp(page, "someone/tiny");
  await page.getByRole("radio", { name: /F16 suggested/ }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("button", { name: /^Download/ }).click();
  await page.getByRole("button", { name: "Pause someone/tiny · F16" }).waitFor();
  expect(await violations(page)).toEqual([]);
});
