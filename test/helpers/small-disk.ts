import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

/** Of the system; where it has none there is no small disk. */
const programs = { mount: "mount", unmount: "umount" } as const;

interface SmallDisk {
  readonly folder: string;
  /** Takes all the room that is left. */
  fill(): void;
  free(): void;
  makeReadOnly(): void;
}

/** A disk of its own with so many megabytes, gone with the test. `null` where this process may not mount one. */
export function smallDisk(megabytes: number): SmallDisk | null {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return null;
  const folder = join(temporaryFolder(), "disk");
  mkdirSync(folder);
  try {
    execFileSync(programs.mount, ["-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder], { stdio: "ignore" });
  } catch {
    return null;
  }
  onTestFinished(() => {
    execFileSync(programs.unmount, ["--lazy", folder]);
  });
  const filler = join(folder, "filler");
  return {
    folder,
    fill: () => {
      fillUp(filler, megabytes);
    },
    free: () => {
      rmSync(filler);
    },
    makeReadOnly: () => {
      execFileSync(programs.mount, ["-o", "remount,ro", folder]);
    },
  };
}

function fillUp(path: string, megabytes: number): void {
  try {
    writeFileSync(path, Buffer.alloc((megabytes + 1) << 20));
  } catch (caught) {
    if (caught instanceof Error && "code" in caught && caught.code === "ENOSPC") return;
    throw caught;
  }
}
