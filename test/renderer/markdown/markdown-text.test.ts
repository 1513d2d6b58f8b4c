import { flushSync, mount, unmount } from "svelte";
import { afterEach, expect, test } from "vitest";
import MarkdownText from "../../../src-renderer/markdown/markdown-text.svelte";
import { appContext } from "../../../src-renderer/state/app.svelte.ts";
import { sampleApp } from "../../helpers/sample-app.ts";

let shown: Record<string, unknown> | null = null;

afterEach(async () => {
  if (shown !== null) await unmount(shown);
  document.body.replaceChildren();
});

function show(text: string): HTMLElement {
  shown = mount(MarkdownText, { target: document.body, props: { text }, context: new Map([[appContext, app]]) });
  flushSync();
  return document.body;
}

const app = sampleApp();

test("markup in an answer makes no elements", () => {
  const page = show("a <img src=x onerror=alert(1)> <b>b</b>\n\n<script>alert(1)</script>");

  expect(page.querySelector("img, b, script")).toBeNull();
  expect(page.textContent).toContain("<img src=x onerror=alert(1)> <b>b</b>");
});

test("a link has no address to follow; choosing it asks first", () => {
  const link = show("[here](https://example.org/a)").querySelector<HTMLElement>("[role=link]");

  expect(link?.hasAttribute("href")).toBe(false);
  link?.click();
  expect(app.ui.dialog).toEqual({ name: "open-link", url: "https://example.org/a" });
});

test("an image is a link with its description", () => {
  const page = show("![a chart](https://example.org/chart.png)");

  expect(page.querySelector("img")).toBeNull();
  expect(page.querySelector("[role=link]")?.textContent).toBe("Image: a chart");
});

test("every kind of block becomes its element", () => {
  const page = show(
    "# a\n\nb **c** *d* ~~e~~ `f`\n\n1. g\n\n- [x] h\n\n> i\n\n---\n\n```js\nj\n```\n\n| k |\n| - |\n| l |",
  );

  for (const selector of [
    "h2",
    "p strong",
    "em",
    "s",
    "p code",
    "ol li",
    "ul input:checked",
    "blockquote",
    "hr",
    "pre code",
    "th",
    "td",
  ]) {
    expect(page.querySelector(selector), selector).not.toBeNull();
  }
});
