/**
 * The desktop window without Electron: the built page in a real Chromium, served by the desktop's own answers to
 * `app://`, with a bridge whose ports lead to the app in this process.
 */
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { RPCHandler } from "@orpc/server/message-port";
import type { Browser, Page } from "playwright-core";
import { onTestFinished } from "vitest";
import type { MenuCommand } from "../../src-main/contract/desktop-bridge.ts";
import { answerAppRequest, appOrigin } from "../../src-main/desktop/app-protocol.ts";
import type { Reprise } from "../../src-main/app/compose.ts";

/** Chromium knows no `app:` without Electron; any secure origin stands for it. */
const origin = "https://reprise.test";

interface PageSide extends Window {
  toMain(port: number, data: string | null): void;
  fromMain(port: number, data: string): void;
  choose(command: MenuCommand): void;
  violations: string[];
}

export interface DesktopPage {
  readonly page: Page;
  /** As if chosen from the application menu. */
  readonly choose: (command: MenuCommand) => Promise<void>;
  /** What the page tried that its policy forbids. */
  readonly violations: () => Promise<string[]>;
}

export async function openDesktopPage(
  browser: Browser,
  rendererFolder: string,
  router: Reprise["router"],
): Promise<DesktopPage> {
  const page = await browser.newPage();
  const ports = new Map<number, MessagePort>();
  const closePorts = () => {
    for (const port of ports.values()) port.close();
    ports.clear();
  };
  onTestFinished(async () => {
    await page.close();
    closePorts();
  });
  const handler = new RPCHandler(router);
  const connect = (id: number): void => {
    // A page that was loaded again counts from the start, and must not get what was meant for the one before.
    if (id === 0) closePorts();
    const { port1, port2 } = new MessageChannel();
    ports.set(id, port2);
    handler.upgrade(port1, { context: {} });
    port1.start();
    port2.on("message", (data: string) => {
      if (page.isClosed()) return;
      const delivered = page.evaluate(
        ([port, text]) => {
          (window as unknown as PageSide).fromMain(port, text);
        },
        [id, data] as const,
      );
      // The page that had the other end is going away; its ports go with it.
      delivered.catch(() => {
        port2.close();
      });
    });
  };
  await page.exposeBinding("toMain", (_source, id: number, data: string | null) => {
    if (data === null) connect(id);
    else ports.get(id)?.postMessage(data);
  });
  await page.addInitScript(installBridge);
  await page.route(`${origin}/**`, async (route) => {
    const path = route.request().url().slice(origin.length);
    const answer = await answerAppRequest(new Request(`${appOrigin}${path}`), rendererFolder);
    const body = Buffer.from(await answer.arrayBuffer());
    await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body });
  });
  await page.goto(`${origin}/index.html`);
  return {
    page,
    choose: (command) =>
      page.evaluate((name) => {
        (window as unknown as PageSide).choose(name);
      }, command),
    violations: () => page.evaluate(() => (window as unknown as PageSide).violations),
  };
}

/** Runs in the page, before it. */
function installBridge(): void {
  const side = window as unknown as PageSide;
  const ports: MessagePort[] = [];
  const listeners = new Set<(command: MenuCommand) => void>();
  const repriseDesktop = {
    platform: "linux",
    connect: () => {
      const { port1, port2 } = new globalThis.MessageChannel();
      const id = ports.push(port1 as never) - 1;
      port1.onmessage = ({ data }: MessageEvent<string>) => {
        side.toMain(id, data);
      };
      side.toMain(id, null);
      window.postMessage("reprise:port", "*", [port2]);
    },
    chooseModelFile: () => Promise.resolve(null),
    chooseImportanceMatrix: () => Promise.resolve(null),
    pathOfFile: (file: File) => file.name,
    onMenuCommand: (listener: (command: MenuCommand) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  side.violations = [];
  Object.assign(window, {
    repriseDesktop,
    fromMain: (id: number, data: string) => ports[id]?.postMessage(data),
    choose: (command: MenuCommand) => {
      for (const listener of listeners) listener(command);
    },
  });
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => {
    side.violations.push(`${violatedDirective} ${blockedURI}`);
  });
}
