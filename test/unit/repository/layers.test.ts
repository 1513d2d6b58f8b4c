import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../../..", import.meta.url));

interface CruiseResult {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly { rule: { name: string }; from: string; to: string }[];
  };
}

/** Cruises the sources under `folder` with the project's own rules. */
async function cruise(folder: string): Promise<CruiseResult> {
  const cli = join(repository, "node_modules/dependency-cruiser/bin/dependency-cruiser.mjs");
  const options = ["--config", ".config/dependency-cruiser.cjs", "--output-type", "json"];
  const output = await run(process.execPath, [cli, ...options, "src-main", "src-renderer"], {
    cwd: folder,
    maxBuffer: 64 * 2 ** 20,
  }).catch((error: unknown) => error as { stdout: string });
  return JSON.parse(output.stdout) as CruiseResult;
}

/** A tree like ours that holds one file for each `{path: what it imports}`. */
async function treeWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "reprise-layers-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await cp(join(repository, ".config"), join(folder, ".config"), { recursive: true });
  await symlink(join(repository, "node_modules"), join(folder, "node_modules"), "junction");
  for (const [path, imported] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), imported === "" ? "export {};\n" : `export * from "${imported}";\n`);
  }
  return folder;
}

/** One forbidden import for each rule that keeps a boundary. */
const forbidden = {
  "src-main/contract/a.ts": ["../app/use-case.ts", "layer-contract"],
  "src-main/store/a.ts": ["../engine/entry.ts", "layer-store"],
  "src-main/models/a.ts": ["../store/a.ts", "layer-models"],
  "src-main/gguf/a.ts": ["../engine/entry.ts", "layer-gguf"],
  "src-main/engine/a.ts": ["../app/use-case.ts", "layer-engine"],
  "src-main/child/a.ts": ["../app/use-case.ts", "layer-child"],
  "src-main/quantize/a.ts": ["../engine/entry.ts", "layer-quantize"],
  "src-main/engine-host/a.ts": ["../engine/entry.ts", "layer-engine-host"],
  "src-main/loopback/a.ts": ["../app/use-case.ts", "layer-loopback"],
  "src-main/app/a.ts": ["../engine/entry.ts", "app-uses-interfaces"],
  "src-main/desktop/a.ts": ["../store/a.ts", "layer-desktop"],
  "src-main/headless/a.ts": ["../models/a.ts", "layer-headless"],
  "src-main/models/b.ts": ["better-sqlite3", "owner-better-sqlite3"],
  "src-main/engine/b.ts": ["node-llama-cpp", "owner-node-llama-cpp"],
  "src-main/models/c.ts": ["koffi", "owner-koffi"],
  "src-main/headless/b.ts": ["electron", "owner-electron"],
  "src-main/app/b.ts": ["../../src-renderer/screen.ts", "main-does-not-see-the-renderer"],
  "src-renderer/a.ts": ["../src-main/app/use-case.ts", "renderer-sees-the-contract"],
  "src-renderer/b.ts": ["node:fs", "renderer-has-no-node"],
} as const;

describe("layers", () => {
  test("every forbidden import is an error", { timeout: 60_000 }, async () => {
    const imports = Object.fromEntries(Object.entries(forbidden).map(([path, [imported]]) => [path, imported]));
    const innocent = { "src-main/app/use-case.ts": "", "src-main/engine/entry.ts": "", "src-renderer/screen.ts": "" };

    const { summary } = await cruise(await treeWith({ ...innocent, ...imports }));

    const found = summary.violations.map((violation) => `${violation.from} ${violation.rule.name}`);
    for (const [path, [, rule]] of Object.entries(forbidden)) expect(found).toContain(`${path} ${rule}`);
  });

  test("the project itself breaks none, and its modules were really read", { timeout: 120_000 }, async () => {
    const { summary } = await cruise(repository);

    expect(summary.violations).toEqual([]);
    expect(summary.totalCruised).toBeGreaterThan(50);
  });
});
