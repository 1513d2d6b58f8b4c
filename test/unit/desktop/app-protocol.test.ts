import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { answerAppRequest, appScheme, fileOfUrl } from "../../../src-main/desktop/app-protocol.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

const root = join("/opt", "reprise", "renderer");

/** A built renderer, with something beside it that must stay unreachable. */
function builtRenderer(): string {
  const out = temporaryFolder();
  const renderer = join(out, "renderer");
  mkdirSync(join(renderer, "assets"), { recursive: true });
  writeFileSync(join(renderer, "index.html"), "<!doctype html>");
  writeFileSync(join(renderer, "assets", "index-abc.js"), "export {};");
  writeFileSync(join(out, "secret.txt"), "secret");
  return renderer;
}

async function get(url: string, method = "GET"): Promise<Response> {
  return answerAppRequest(new Request(url, { method }), builtRenderer());
}

describe("the file of an address", () => {
  test("lies below the renderer's folder", () => {
    expect(fileOfUrl("app://reprise/assets/index-abc.js", root)).toBe(join(root, "assets", "index-abc.js"));
  });

  test("is index.html where the address names none", () => {
    expect(fileOfUrl("app://reprise/", root)).toBe(join(root, "index.html"));
    expect(fileOfUrl("app://reprise", root)).toBe(join(root, "index.html"));
  });

  test("does not depend on query and fragment, and may have spaces", () => {
    expect(fileOfUrl("app://reprise/a%20b.css?v=1#top", root)).toBe(join(root, "a b.css"));
  });

  test.each([
    "app://reprise/..%2fsecret.txt",
    "app://reprise/%2e%2e%2fsecret.txt",
    "app://reprise/assets/..%2f..%2f..%2fetc/passwd",
    "app://reprise/..%5c..%5csecret.txt",
    "app://reprise/index.html%00.png",
    "app://reprise/%ZZ",
    "app://other/index.html",
    "app://reprise.evil.example/index.html",
    "file:///etc/passwd",
    "https://reprise/index.html",
    "not an address",
  ])("is none for %s", (url) => {
    expect(fileOfUrl(url, root)).toBeNull();
  });

  test("stays inside for dots that the address itself resolves", () => {
    expect(fileOfUrl("app://reprise/../../secret.txt", root)).toBe(join(root, "secret.txt"));
  });
});

describe("an answer", () => {
  test("is the file with its type", async () => {
    const answer = await get("app://reprise/assets/index-abc.js");
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    expect(await answer.text()).toBe("export {};");
  });

  test("forbids the page everything but its own files", async () => {
    const answer = await get("app://reprise/");
    const policy = answer.headers.get("content-security-policy") ?? "";
    expect(policy.split("; ")).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
  });

  test.each(["app://reprise/missing.js", "app://reprise/assets", "app://reprise/..%2fsecret.txt", "app://other/"])(
    "is 404 for %s",
    async (url) => {
      expect((await get(url)).status).toBe(404);
    },
  );

  test("to HEAD has no body, and other methods are refused", async () => {
    const head = await get("app://reprise/", "HEAD");
    expect([head.status, await head.text()]).toEqual([200, ""]);
    expect((await get("app://reprise/", "POST")).status).toBe(405);
  });
});

test("the scheme is standard and secure, so that the page has an origin of its own", () => {
  expect(appScheme).toMatchObject({ scheme: "app", privileges: { standard: true, secure: true } });
  expect(appScheme.privileges).not.toHaveProperty("bypassCSP");
});
