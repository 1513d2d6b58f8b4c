/** A served app and its page for one test; both go with it. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { serveApp, type ServedApp, type ServeOptions } from "./served-app.ts";

export async function serveTestApp(dataFolder: string, options: ServeOptions = {}): Promise<ServedApp> {
  const app = await serveApp(dataFolder, options);
  onTestFinished(() => app.stop());
  return app;
}

/** A new window with nothing remembered, in English unless said otherwise. Any error in the page fails the test. */
export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  onTestFinished(async () => {
    await context.close();
    if (problems.length > 0) throw new Error(`The page had errors: ${problems.join("; ")}`);
  });
  await page.goto(url);
  return page;
}
