/** Everything a page is denied: other pages, windows, permissions, the network. What it may do is said in one place each. */
import type { Session, WebContents } from "electron";
import { shell } from "electron";
import { appOrigin } from "./app-protocol.ts";

/** Schemes that may leave the app, to whatever the system opens them with. */
const externalSchemes: readonly string[] = ["http:", "https:", "mailto:"];

export function isExternalLink(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && externalSchemes.includes(parsed.protocol);
}

function isBelow(url: string, origin: string): boolean {
  return url === origin || url.startsWith(`${origin}/`);
}

/** `devServer`: the address of electron-vite's server while developing, `null` in a built app. */
export function isOwnPage(url: string, devServer: string | null): boolean {
  return isBelow(url, appOrigin) || (devServer !== null && isBelow(url, devServer));
}

/** Own pages, the developer tools, and what a page made itself. */
export function isAllowedRequest(url: string, devServer: string | null): boolean {
  if (isOwnPage(url, devServer)) return true;
  if (url.startsWith("data:") || url.startsWith(`blob:${appOrigin}/`)) return true;
  if (devServer === null) return false;
  return url.startsWith("devtools://") || isBelow(url, devServer.replace(/^http/, "ws"));
}

/** Copying is the one thing that needs a permission. */
function isAllowedPermission(permission: string, url: string, devServer: string | null): boolean {
  return permission === "clipboard-sanitized-write" && isOwnPage(url, devServer);
}

/** Call once for each session, before it loads anything. */
export function lockDownSession(session: Session, devServer: string | null): void {
  session.setPermissionRequestHandler((_contents, permission, answer, details) => {
    answer(isAllowedPermission(permission, details.requestingUrl, devServer));
  });
  session.setPermissionCheckHandler((_contents, permission, requestingOrigin) =>
    isAllowedPermission(permission, requestingOrigin.replace(/\/$/, ""), devServer),
  );
  session.setDevicePermissionHandler(() => false);
  session.webRequest.onBeforeRequest((details, answer) => {
    answer({ cancel: !isAllowedRequest(details.url, devServer) });
  });
  // Dictionaries would be fetched from a server, past every filter of requests.
  session.setSpellCheckerEnabled(process.platform === "darwin");
  session.on("will-download", (event) => {
    event.preventDefault();
  });
}

/** A link the page opened after its own question; anything but web and mail addresses is dropped. */
function openOutside(url: string): void {
  if (isExternalLink(url)) void shell.openExternal(url);
}

function withoutFragment(url: string): string {
  return url.replace(/#.*$/, "");
}

/** Call for each web contents, as it is created. The only navigation left is loading the same page again. */
export function lockDownContents(contents: WebContents): void {
  contents.on("will-frame-navigate", (event) => {
    const isReload = event.isMainFrame && withoutFragment(event.url) === withoutFragment(contents.getURL());
    if (!isReload) event.preventDefault();
  });
  contents.on("will-redirect", (event) => {
    event.preventDefault();
  });
  contents.on("will-attach-webview", (event) => {
    event.preventDefault();
  });
  contents.setWindowOpenHandler(({ url }) => {
    openOutside(url);
    return { action: "deny" };
  });
}
