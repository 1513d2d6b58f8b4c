import type { DesktopBridge } from "../../src-main/contract/desktop-bridge.ts";
import { takeAccessToken } from "./access-token.ts";
import type { OpenTransport } from "./transport.ts";
import { desktopTransport } from "./desktop-transport.ts";
import { webSocketTransport } from "./web-socket-transport.ts";

declare global {
  interface Window {
    /** Only in the desktop window. */
    readonly repriseDesktop?: DesktopBridge;
  }
}

/** How this page reaches Reprise; `null` in a tab that has no token. */
export function chooseTransport(page: Window): OpenTransport | null {
  if (page.repriseDesktop !== undefined) return desktopTransport(page.repriseDesktop);
  const token = takeAccessToken(page);
  return token === null ? null : webSocketTransport(page.location, token);
}
