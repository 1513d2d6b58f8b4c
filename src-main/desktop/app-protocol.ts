import { readFile } from "node:fs/promises";
import { extname, isAbsolute, join, relative } from "node:path";
import type { CustomScheme } from "electron";
import { contentSecurityPolicy } from "./content-security-policy.ts";

/** The origin the built renderer is served under; nothing else is ever served there. */
export const appOrigin = "app://reprise";

/** Must be registered before the app is ready. Standard and secure, so that origins, storage and modules work as on https. */
export const appScheme: CustomScheme = {
  scheme: "app",
  privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true },
};

const mimeTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".woff2": "font/woff2",
};

function decodedPath(pathname: string): string | null {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return null;
  }
}

/** The file below `rendererFolder` that `url` names; `null` where it names none or one outside. */
export function fileOfUrl(url: string, rendererFolder: string): string | null {
  const parsed = URL.parse(url);
  if (parsed?.protocol !== "app:" || parsed.host !== "reprise") return null;
  const path = decodedPath(parsed.pathname);
  if (path === null || path.includes("\0") || path.includes("\\")) return null;
  const file = join(rendererFolder, path === "/" || path === "" ? "index.html" : path);
  const inside = relative(rendererFolder, file);
  return inside === "" || inside.startsWith("..") || isAbsolute(inside) ? null : file;
}

function headersFor(file: string): Record<string, string> {
  return {
    "Content-Type": mimeTypes[extname(file)] ?? "application/octet-stream",
    "Content-Security-Policy": contentSecurityPolicy,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
  };
}

const missingFileCodes: readonly unknown[] = ["ENOENT", "ENOTDIR", "EISDIR"];

/** Answers a request for `app://reprise/…` with a file of the built renderer. */
export async function answerAppRequest(request: Request, rendererFolder: string): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD") return new Response(null, { status: 405 });
  const file = fileOfUrl(request.url, rendererFolder);
  if (file === null) return new Response(null, { status: 404 });
  try {
    const body = await readFile(file);
    return new Response(request.method === "HEAD" ? null : body, { headers: headersFor(file) });
  } catch (error) {
    if (error instanceof Error && missingFileCodes.includes((error as NodeJS.ErrnoException).code)) {
      return new Response(null, { status: 404 });
    }
    throw error;
  }
}
