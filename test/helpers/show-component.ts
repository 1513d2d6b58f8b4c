import { Tooltip } from "bits-ui";
import { flushSync, mount, unmount, type Component, type ComponentInternals, type Snippet } from "svelte";
import { onTestFinished } from "vitest";
import { appContext, type App } from "../../src-renderer/state/app.svelte.ts";

/** Draws a component for one test, in what every component of the page stands in, and returns the page. */
export function showComponent<Props extends Record<string, unknown>>(
  app: App,
  subject: Component<Props>,
  props: Props,
): HTMLElement {
  const children = ((anchor: ComponentInternals) => subject(anchor, props)) as unknown as Snippet;
  const shown = mount(Tooltip.Provider, {
    target: document.body,
    props: { children },
    context: new Map([[appContext, app]]),
  });
  flushSync();
  onTestFinished(async () => {
    await unmount(shown);
    document.body.replaceChildren();
  });
  return document.body;
}
