import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LoopbackServer, startLoopbackServer } from "../../../src-main/loopback/loopback-server.ts";
import { createTestApp } from "./test-app.ts";

const folder = mkdtempSync(join(tmpdir(), "reprise-loopback-"));
let server: LoopbackServer;

beforeAll(async () => {
  mkdirSync(join(folder, "renderer", "assets"), { recursive: true });
  writeFileSync(join(folder, "secret.txt"), "not for the web");
  writeFileSync(join(folder, "renderer", "index.html"), "<title>Reprise</title>");
  writeFileSync(join(folder, "renderer", ".hidden"), "hidden");
  writeFileSync(join(folder, "renderer", "assets", "app.js"), "export {};");
  server = await startLoopbackServer({ router: createTestApp().router, rendererFolder: join(folder, "renderer") });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Sends the path as it stands: `fetch` would tidy it up first. */
function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port: server.port, path, method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() });
      });
    })
      .on("error", reject)
      .end();
  });
}

describe("the files", () => {
  test("of the built renderer are served, the page at the root", async () => {
    expect(await get("/")).toMatchObject({ status: 200, body: "<title>Reprise</title>" });
    const script = await get("/assets/app.js");
    expect(script).toMatchObject({ status: 200, body: "export {};" });
    expect(script.headers["content-type"]).toContain("javascript");
  });

  test("an unknown address is the page for a person, and nothing for a script", async () => {
    expect(await get("/conversation/abc", { "sec-fetch-mode": "navigate" })).toMatchObject({
      status: 200,
      body: "<title>Reprise</title>",
    });
    expect(await get("/conversation/abc", { accept: "text/html,*/*" })).toMatchObject({ status: 200 });
    expect(await get("/assets/gone.js", { "sec-fetch-mode": "cors", accept: "text/html" })).toMatchObject({
      status: 404,
    });
    expect(await get("/assets/gone.js")).toMatchObject({ status: 404 });
    expect(await get("/", { accept: "text/html" }, "POST")).toMatchObject({ status: 404 });
  });

  test.each([
    "/../secret.txt",
    "/assets/../../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/%2e%2e%2fsecret.txt",
    "/..%5csecret.txt",
    "/assets/%2e%2e/%2e%2e/secret.txt",
    "//../secret.txt",
    "/.hidden",
    "/%00",
    "/%zz",
  ])("outside the folder are out of reach: %s", async (path) => {
    const answer = await get(path);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(answer.body).not.toContain("not for the web");
    expect(answer.body).not.toContain("hidden");
  });
});

describe("the headers", () => {
  test.each(["/", "/assets/app.js", "/gone", "/%zz"])("of %s allow nothing but this server", async (path) => {
    const { headers } = await get(path);
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("style-src 'self';");
    expect(policy).toContain(`connect-src 'self' ws://127.0.0.1:${server.port} ws://localhost:${server.port};`);
    expect(policy).not.toMatch(/unsafe|\*|https/);
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
    });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  });
});

describe("the host", () => {
  test("is this machine by either of its names", async () => {
    expect(await get("/", { host: `localhost:${server.port}` })).toMatchObject({ status: 200 });
  });

  test.each(["evil.example", "127.0.0.1", "127.0.0.1:1", "localhost", "0.0.0.0"])("%s is refused", async (host) => {
    const answer = await get("/", { host });
    expect(answer.status).toBe(403);
    expect(answer.body).not.toContain("<title>");
  });

  test("with a foreign name and the right port is refused", async () => {
    expect(await get("/", { host: `evil.example:${server.port}` })).toMatchObject({ status: 403 });
  });
});

test("a server without a renderer has no pages", async () => {
  const bare = await startLoopbackServer({ router: createTestApp().router, rendererFolder: null });
  const response = await fetch(bare.url, { headers: { accept: "text/html" } });
  expect(response.status).toBe(404);
  await bare.close();
});

test("a port in use is refused with a sentence that names it", async () => {
  const twice = startLoopbackServer({ router: createTestApp().router, rendererFolder: null, port: server.port });
  await expect(twice).rejects.toMatchObject({
    code: "INVALID_INPUT",
    message: expect.stringContaining(String(server.port)) as string,
  });
});
