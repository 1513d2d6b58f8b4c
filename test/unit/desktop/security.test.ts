import { beforeEach, describe, expect, test, vi } from "vitest";
import * as electron from "../../helpers/fake-electron.ts";
import { FakeWebContents, fakeEvent } from "../../helpers/fake-electron.ts";
import {
  isAllowedRequest,
  isExternalLink,
  isOwnPage,
  lockDownContents,
  lockDownSession,
} from "../../../src-main/desktop/security.ts";

vi.mock("electron", () => import("../../helpers/fake-electron.ts"));

const devServer = "http://localhost:5173";

describe("links", () => {
  test.each(["https://example.org/a?b", "http://example.org", "mailto:someone@example.org"])("may open %s", (url) => {
    expect(isExternalLink(url)).toBe(true);
  });

  test.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "smb://host/share",
    "app://reprise/",
    "x",
  ])("may not open %s", (url) => {
    expect(isExternalLink(url)).toBe(false);
  });
});

describe("the own page", () => {
  test("is anything below app://reprise, and the development server only while developing", () => {
    expect(isOwnPage("app://reprise/index.html", null)).toBe(true);
    expect(isOwnPage(`${devServer}/`, devServer)).toBe(true);
    expect(isOwnPage(`${devServer}/`, null)).toBe(false);
  });

  test.each(["app://reprise.evil.example/", "app://other/", "http://localhost:51730/", "about:blank", ""])(
    "is not %j",
    (url) => {
      expect(isOwnPage(url, devServer)).toBe(false);
    },
  );
});

describe("requests", () => {
  test.each([
    "https://example.org/",
    "http://127.0.0.1:8080/",
    "ws://example.org",
    "file:///etc/passwd",
    "devtools://devtools/",
  ])("to %s are cancelled in a built app", (url) => {
    expect(isAllowedRequest(url, null)).toBe(false);
  });

  test.each(["app://reprise/assets/index.js", "data:image/png;base64,AA", "blob:app://reprise/1"])(
    "to %s go through",
    (url) => {
      expect(isAllowedRequest(url, null)).toBe(true);
    },
  );

  test("may reach the development server, its socket and the developer tools while developing, and nothing else", () => {
    expect(isAllowedRequest(`${devServer}/main.ts`, devServer)).toBe(true);
    expect(isAllowedRequest("ws://localhost:5173/?token=1", devServer)).toBe(true);
    expect(isAllowedRequest("devtools://devtools/bundled/a.js", devServer)).toBe(true);
    expect(isAllowedRequest("https://example.org/", devServer)).toBe(false);
  });
});

describe("a session", () => {
  const locked = () => {
    const { defaultSession } = electron.session;
    lockDownSession(defaultSession as never, null);
    return defaultSession;
  };

  test("cancels what may not be requested", () => {
    const [filter] = locked().webRequest.onBeforeRequest.mock.calls[0] as [
      (details: { url: string }, answer: (response: { cancel: boolean }) => void) => void,
    ];
    const answer = vi.fn();
    filter({ url: "https://example.org/" }, answer);
    filter({ url: "app://reprise/" }, answer);
    expect(answer.mock.calls).toEqual([[{ cancel: true }], [{ cancel: false }]]);
  });

  test("grants nothing but writing to the clipboard, and that to the own page only", () => {
    const [decide] = locked().setPermissionRequestHandler.mock.calls[0] as [
      (contents: null, name: string, answer: (granted: boolean) => void, details: { requestingUrl: string }) => void,
    ];
    const granted = (name: string, requestingUrl: string) => {
      const answer = vi.fn();
      decide(null, name, answer, { requestingUrl });
      return answer.mock.calls[0]?.[0] as boolean;
    };
    expect(granted("clipboard-sanitized-write", "app://reprise/index.html")).toBe(true);
    expect(granted("clipboard-sanitized-write", "https://example.org/")).toBe(false);
    for (const name of ["clipboard-read", "media", "geolocation", "notifications", "openExternal", "fullscreen"]) {
      expect(granted(name, "app://reprise/index.html")).toBe(false);
    }
  });

  test("answers checks alike, where the origin comes with a slash", () => {
    const [check] = locked().setPermissionCheckHandler.mock.calls[0] as [
      (contents: null, name: string, origin: string) => boolean,
    ];
    expect(check(null, "clipboard-sanitized-write", "app://reprise/")).toBe(true);
    expect(check(null, "geolocation", "app://reprise/")).toBe(false);
  });

  test("downloads nothing", () => {
    const download = fakeEvent({});
    locked().emit("will-download", download);
    expect(download.defaultPrevented).toBe(true);
  });
});

describe("web contents", () => {
  let contents: FakeWebContents;
  beforeEach(() => {
    contents = new FakeWebContents();
    lockDownContents(contents as never);
    electron.shell.openExternal.mockClear();
  });
  const isDenied = (name: string, details: object) => {
    const event = fakeEvent(details);
    contents.emit(name, event);
    return event.defaultPrevented;
  };

  test("may load their own page again, and go nowhere else", () => {
    expect(isDenied("will-frame-navigate", { url: "app://reprise/index.html#a", isMainFrame: true })).toBe(false);
    expect(isDenied("will-frame-navigate", { url: "https://example.org/", isMainFrame: true })).toBe(true);
    expect(isDenied("will-frame-navigate", { url: "app://reprise/other.html", isMainFrame: true })).toBe(true);
    expect(isDenied("will-frame-navigate", { url: "app://reprise/index.html", isMainFrame: false })).toBe(true);
  });

  test("are not redirected and embed no web views", () => {
    expect(isDenied("will-redirect", { url: "app://reprise/index.html" })).toBe(true);
    expect(isDenied("will-attach-webview", {})).toBe(true);
  });

  test("open no windows; web and mail addresses go to the system", () => {
    const [open] = contents.setWindowOpenHandler.mock.calls[0] as [(details: { url: string }) => unknown];
    expect(open({ url: "https://example.org/" })).toEqual({ action: "deny" });
    expect(electron.shell.openExternal.mock.calls).toEqual([["https://example.org/"]]);
    expect(open({ url: "file:///etc/passwd" })).toEqual({ action: "deny" });
    expect(electron.shell.openExternal).toHaveBeenCalledTimes(1);
  });
});
