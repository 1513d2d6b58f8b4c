import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Nothing is forbidden to the superuser, and Windows has other means. */
export const ignoresPermissions = process.platform === "win32" || process.getuid?.() === 0;

/** An empty folder that goes with the test. Its name is one that people have: with spaces, and not only Latin letters. */
export function temporaryFolder(): string {
  const parent = mkdtempSync(join(tmpdir(), "reprise-"));
  onTestFinished(() => {
    rmSync(parent, { recursive: true, force: true, maxRetries: 3 });
  });
  const folder = join(parent, "Søren's data 数据 Ελλάδα");
  mkdirSync(folder);
  return folder;
}
