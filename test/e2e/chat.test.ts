/** A person's first hour with Reprise, in a real browser, on the real default model. */
import { execFileSync } from "node:child_process";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser } from "../helpers/browser.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { openPage, serveTestApp } from "../helpers/test-page.ts";

let browser: Browser;

beforeAll(async () => {
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
});

const longQuestion = "Write a long story about a lighthouse keeper, in many chapters.";
const thread = (page: Page) => page.getByTestId("thread");
const answers = (page: Page) => page.getByRole("article", { name: /^Answer of/ });
const lastAnswer = (page: Page) => answers(page).last();
const conversationLink = (page: Page, title: string) =>
  page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name: title });

async function send(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Message", exact: true }).fill(text);
  await page.keyboard.press("Enter");
}

/** Waits until nothing is being written any more. */
async function finished(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Send" }).waitFor({ timeout: 90_000 });
}

/** Waits until there are so many answers, and the last is no longer being written. */
async function answered(page: Page, count: number): Promise<string> {
  await expect.poll(() => answers(page).count(), { timeout: 90_000 }).toBe(count);
  await expect.poll(() => lastAnswer(page).getAttribute("aria-busy"), { timeout: 90_000 }).toBe("false");
  return lastAnswer(page).innerText();
}

/** Settings that make an answer short and the same every time. */
async function shortAnswers(page: Page, tokens: number): Promise<void> {
  await page.getByRole("button", { name: "Conversation settings" }).click();
  const dialog = page.getByRole("dialog", { name: "Conversation settings" });
  await dialog.getByLabel("Temperature").fill("0");
  await dialog.getByLabel("Longest answer (tokens)").fill(String(tokens));
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
}

/** Waits until the answer holds at least so many characters, and returns it. */
async function textOf(page: Page, atLeast: number): Promise<string> {
  const markdown = lastAnswer(page);
  await expect.poll(async () => (await markdown.innerText()).length, { timeout: 60_000 }).toBeGreaterThan(atLeast);
  return markdown.innerText();
}

describe("a chat", () => {
  test("is answered, continued with the prompt reused, and found again after a restart", async () => {
    const folder = temporaryFolder();
    const first = await serveTestApp(folder);
    const page = await openPage(browser, first.url);
    await shortAnswers(page, 24);

    await send(page, "What is the capital of France?");
    expect(await answered(page, 1)).toContain("Paris");

    await send(page, "And of Italy?");
    const reused = /(\d+) of (\d+) prompt tokens reused/.exec(await answered(page, 2));
    expect(Number(reused?.[1])).toBeGreaterThan(40);
    expect(Number(reused?.[2]) - Number(reused?.[1])).toBeLessThan(20);
    const before = await answers(page).allInnerTexts();

    await page.close();
    await first.stop();
    const second = await serveTestApp(folder);
    const again = await openPage(browser, second.url);
    await conversationLink(again, "What is the capital of France?").click();
    await lastAnswer(again).waitFor();
    expect(await answers(again).allInnerTexts()).toEqual(before);
  });

  test("is stopped by Esc with its text kept, and goes on after that", async () => {
    const app = await serveTestApp(temporaryFolder());
    const page = await openPage(browser, app.url);
    await send(page, longQuestion);
    await textOf(page, 40);

    await page.keyboard.press("Escape");
    await finished(page);
    expect(await lastAnswer(page).innerText()).toContain("Stopped. What was written is kept.");

    await shortAnswers(page, 8);
    await send(page, "Thank you.");
    expect(await answered(page, 2)).toContain("tokens/s");
  });

  test("goes on when the page is loaded anew in the middle of an answer", async () => {
    const app = await serveTestApp(temporaryFolder());
    const page = await openPage(browser, app.url);
    await send(page, longQuestion);
    const before = (await textOf(page, 40)).slice(0, 40);

    await page.reload();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    expect(await textOf(page, 80)).toContain(before);
    await page.keyboard.press("Escape");
    await finished(page);
  });

  test("keeps every version: another answer, an edited question, and the way back", async () => {
    const app = await serveTestApp(temporaryFolder());
    const page = await openPage(browser, app.url);
    await shortAnswers(page, 12);
    await send(page, "Name a fruit.");
    await answered(page, 1);

    await lastAnswer(page).getByRole("button", { name: "Another answer" }).click();
    await expect.poll(() => lastAnswer(page).innerText()).toContain("2/2");
    await answered(page, 1);

    await page.getByRole("button", { name: "Edit message" }).click();
    await page.getByRole("textbox", { name: "Edit message" }).fill("Name a colour.");
    await page.keyboard.press("Enter");
    await page.getByText("Name a colour.").first().waitFor();
    await answered(page, 1);
    expect(await thread(page).getByText("Name a fruit.", { exact: true }).count()).toBe(0);

    await page.getByRole("button", { name: "Previous version" }).first().click();
    await thread(page).getByText("Name a fruit.", { exact: true }).waitFor();
    await expect.poll(() => lastAnswer(page).innerText()).toContain("2/2");
  });

  test("is found by a word of its answer", async () => {
    const app = await serveTestApp(temporaryFolder());
    const page = await openPage(browser, app.url);
    await shortAnswers(page, 16);
    await send(page, "What is the capital of France?");
    await answered(page, 1);
    const list = page.getByRole("navigation", { name: "Conversations" });

    await page.getByRole("searchbox", { name: "Search conversations" }).fill("paris");
    await list.getByText(/Paris/).waitFor();

    await page.getByRole("searchbox", { name: "Search conversations" }).fill("xylophone");
    await page.getByText("Nothing was found for “xylophone”.").waitFor();
  });

  test("is renamed and deleted", async () => {
    const app = await serveTestApp(temporaryFolder());
    const page = await openPage(browser, app.url);
    await shortAnswers(page, 4);
    await send(page, "Hello");
    await answered(page, 1);

    await conversationLink(page, "Hello").hover();
    await page.getByRole("button", { name: "Menu of “Hello”" }).click();
    await page.getByRole("menuitem", { name: "Rename…" }).click();
    await page.getByRole("textbox", { name: "Title" }).fill("Greetings");
    await page.keyboard.press("Enter");
    await conversationLink(page, "Greetings").waitFor();

    await conversationLink(page, "Greetings").hover();
    await page.getByRole("button", { name: "Menu of “Greetings”" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await expect.poll(() => conversationLink(page, "Greetings").count()).toBe(0);
    await page.getByText("No conversations yet.").waitFor();
  });

  test("survives a kill of the engine: the text so far stays, and the next message is answered", async () => {
    const app = await serveTestApp(temporaryFolder());
    const page = await openPage(browser, app.url);
    await send(page, longQuestion);
    const written = (await textOf(page, 60)).slice(0, 60);

    killEngine(app.pid);
    await lastAnswer(page).getByRole("button", { name: "Try again" }).waitFor();
    const kept = await lastAnswer(page).innerText();
    expect(kept).toContain(written);
    expect(kept).toContain("SIGKILL");

    await shortAnswers(page, 8);
    await send(page, "Are you there?");
    expect(await answered(page, 2)).toContain("tokens/s");
  });
});

/** kill -9 of the only child process of `pid`, as an out-of-memory killer does. */
function killEngine(pid: number): void {
  const children = execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" });
  process.kill(Number(children.trim()), "SIGKILL");
}
