import { describe, expect, test } from "vitest";
import { isSameToken, newToken, refuseUpgrade, type Upgrade } from "../../../src-main/loopback/access.ts";

const welcome: Upgrade = { url: "/rpc?token=secret", host: "127.0.0.1:4000", origin: undefined };
const statusOf = (upgrade: Partial<Upgrade>) => refuseUpgrade({ ...welcome, ...upgrade }, 4000, "secret")?.status;

describe("the token", () => {
  test("is new each time, long, and goes unescaped into a URL", () => {
    const tokens = [newToken(), newToken()];
    expect(new Set(tokens).size).toBe(2);
    for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/);
  });

  test("matches itself only, whatever the length of what is given", () => {
    expect(isSameToken("secret", "secret")).toBe(true);
    expect(["", "secre", "secrets", "Secret"].map((given) => isSameToken("secret", given))).not.toContain(true);
  });
});

describe("a WebSocket upgrade", () => {
  test("is accepted from the command line, which sends no Origin", () => {
    expect(refuseUpgrade(welcome, 4000, "secret")).toBeNull();
  });

  test("is accepted from the page's own origin under either name", () => {
    expect(statusOf({ origin: "http://127.0.0.1:4000" })).toBeUndefined();
    expect(statusOf({ host: "localhost:4000", origin: "http://localhost:4000" })).toBeUndefined();
  });

  test.each([
    "http://evil.example",
    "http://127.0.0.1:4001",
    "https://127.0.0.1:4000",
    "http://localhost:4000",
    "null",
    "",
  ])("is refused from the origin %j, whatever its token", (origin) => {
    expect(statusOf({ origin })).toBe(403);
  });

  test.each([undefined, "", "evil.example", "evil.example:4000", "127.0.0.1", "127.0.0.1:4001", "[::1]:4000"])(
    "is refused for the host %j",
    (host) => {
      expect(statusOf({ host })).toBe(403);
    },
  );

  test.each(["/rpc", "/rpc?token=", "/rpc?token=wrong", "/rpc?Token=secret"])("is refused for %j", (url) => {
    expect(statusOf({ url })).toBe(401);
  });

  test("is refused beside /rpc", () => {
    expect(statusOf({ url: "/other?token=secret" })).toBe(404);
    expect(statusOf({ url: "http://" })).toBe(400);
  });
});
