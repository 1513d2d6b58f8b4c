/** The whole page in the test's document, on a connection that can do only what a test is about. */
import { flushSync, mount, unmount } from "svelte";
import { onTestFinished } from "vitest";
import Page from "../../src-renderer/app.svelte";
import type { App } from "../../src-renderer/state/app.svelte.ts";
import { connectedApp } from "./connected-app.ts";
import type { ClientParts } from "./fake-connection.ts";

/** `address`: what follows the `#`. */
export async function showPage(address: string, parts: ClientParts): Promise<App> {
  window.location.hash = address;
  const app = connectedApp(parts);
  const page = mount(Page, { target: document.body, props: { app } });
  onTestFinished(async () => {
    await unmount(page);
    app.connection.close();
    app.route.close();
    document.body.replaceChildren();
  });
  await Promise.resolve();
  flushSync();
  return app;
}

/** The button, link or radio button of this name. Throws where there is none, or more than one. */
export function control(name: string | RegExp): HTMLElement {
  const all = [...document.querySelectorAll<HTMLElement>("button, a, input, [role=link]")];
  const [found, ...others] = all.filter((element) => isNamed(element, name));
  if (found === undefined) throw new Error(`There is no control “${name}”; there are ${all.map(nameOf).join(", ")}.`);
  if (others.length > 0) throw new Error(`There are ${others.length + 1} controls “${name}”.`);
  return found;
}

function isNamed(element: HTMLElement, name: string | RegExp): boolean {
  return typeof name === "string" ? nameOf(element) === name : name.test(nameOf(element));
}

function nameOf(element: HTMLElement): string {
  const label = element.getAttribute("aria-label") ?? element.closest("label")?.textContent ?? element.textContent;
  return label.replace(/\s+/g, " ").trim();
}

/** All that can be read, with plain spaces. */
export function pageText(): string {
  return document.body.textContent.replace(/[\s\u00a0\u202f]+/g, " ");
}
