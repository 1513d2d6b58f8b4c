/** Repositories as the hub's API shows them, with their files behind it: an answer for `startModelHub`. */
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { type Answer, refuses, serves } from "./model-hub.ts";

export interface TestRepository {
  readonly files: Readonly<Record<string, Buffer>>;
  /** A commit. */
  readonly sha?: string;
  readonly gated?: string;
}

export const firstCommit = "1".repeat(40);

export function sha256Of(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

/** `file`: answers for a file instead of a server that does everything right. */
export function hubWith(
  repositories: Readonly<Record<string, TestRepository>>,
  file: (content: Buffer) => Answer = serves,
): Answer {
  return (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://hub");
    const [, api, name = "", kind, , path = ""] =
      /^(\/api\/models)?\/([^/]+\/[^/]+)\/(revision|tree|resolve)\/([^/]+)\/?(.*)$/.exec(pathname) ?? [];
    const repository = repositories[name];
    const content = repository?.files[decodeURIComponent(path)];
    if (repository === undefined) refuses(401)(request, response);
    else if (api !== undefined && kind === "revision") json(response, about(name, repository));
    else if (api !== undefined && kind === "tree") json(response, treeOf(repository));
    else if (kind === "resolve" && content !== undefined) file(content)(request, response);
    else refuses(404)(request, response);
  };
}

export function json(response: ServerResponse, value: unknown, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(200, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

function about(name: string, { sha = firstCommit, gated }: TestRepository) {
  return { id: name, sha, private: false, gated: gated ?? false, siblings: [] };
}

export function treeOf({ files }: TestRepository) {
  const entries = Object.entries(files).map(([path, content]) => ({
    type: "file",
    oid: "0".repeat(40),
    size: content.length,
    path,
    lfs: { oid: sha256Of(content), size: content.length, pointerSize: 134 },
  }));
  const readme = { type: "file", oid: "0".repeat(40), size: 10, path: "README.md" };
  return [{ type: "directory", oid: "0".repeat(40), size: 0, path: "folder" }, readme, ...entries];
}
