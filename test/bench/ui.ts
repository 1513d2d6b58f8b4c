/**
 * What a person waits for in the window, on a big store: 2,000 conversations of 50 messages and one of 2,000.
 * Measured in a real browser against the headless host, from a cold page each time.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../helpers/browser.ts";
import { seedStore } from "../helpers/seed-store.ts";
import { serveApp } from "../helpers/served-app.ts";
import { median } from "../../src-main/engine/tuning/choose-threads.ts";

const runs = 7;
const conversations = 2_000;
const messagesEach = 50;
const longThread = 2_000;

interface UiResult {
  readonly startToUsableMs: number;
  readonly openLongThreadMs: number;
  readonly openShortThreadMs: number;
}

export async function run(): Promise<UiResult> {
  const folder = mkdtempSync(join(tmpdir(), "reprise-bench-ui-"));
  try {
    const ids = seedStore(folder, [...new Array<number>(conversations).fill(messagesEach), longThread]);
    const [shortId, longId] = [ids.at(-2), ids.at(-1)] as [string, string];
    await using app = await serveApp(folder);
    const browser = await launchBrowser();
    const samples = [];
    for (let i = 0; i < runs; i++) samples.push(await measure(browser, app.url, shortId, longId));
    await browser.close();
    const result = {
      startToUsableMs: median(samples.map((sample) => sample.startToUsableMs)),
      openLongThreadMs: median(samples.map((sample) => sample.openLongThreadMs)),
      openShortThreadMs: median(samples.map((sample) => sample.openShortThreadMs)),
    };
    console.log(
      `${conversations} conversations of ${messagesEach} messages, one of ${longThread}; medians of ${runs} runs`,
    );
    console.table({
      "page start to usable": { ms: Math.round(result.startToUsableMs), limit: 1_500 },
      [`opening ${longThread} messages`]: { ms: Math.round(result.openLongThreadMs), limit: 300 },
      [`opening ${messagesEach} messages`]: { ms: Math.round(result.openShortThreadMs), limit: "" },
    });
    return result;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Usable: the list is there and the composer takes text. Opened: the last message of the thread is drawn. */
async function measure(browser: Browser, url: string, shortId: string, longId: string): Promise<UiResult> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  // The clock of the page itself: the test driver's round trips are not the app's.
  await page.goto(url, { waitUntil: "commit" });
  const startToUsableMs = await page.evaluate(async () => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const usable = () => document.querySelector("[data-conversation]") && document.querySelector("textarea:enabled");
    while (!usable()) await frame();
    await frame();
    return performance.now();
  });
  const open = (id: string) =>
    page.evaluate(async (conversationId) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const isShown = () => {
        const thread = document.querySelector("[data-testid=thread]");
        const articles = thread?.querySelectorAll("article") ?? [];
        const link = document.querySelector(`[data-conversation="${conversationId}"]`);
        const last = articles[articles.length - 1];
        if (!thread || thread === before || !last || link?.getAttribute("aria-current") !== "page") return false;
        return last.getBoundingClientRect().bottom <= thread.getBoundingClientRect().bottom + 1;
      };
      const link = document.querySelector<HTMLElement>(`[data-conversation="${conversationId}"]`);
      const before = document.querySelector("[data-testid=thread]");
      const startedAt = performance.now();
      link?.click();
      while (!isShown()) await frame();
      await frame();
      return performance.now() - startedAt;
    }, id);
  const openShortThreadMs = await open(shortId);
  const openLongThreadMs = await open(longId);
  await context.close();
  return { startToUsableMs, openLongThreadMs, openShortThreadMs };
}
