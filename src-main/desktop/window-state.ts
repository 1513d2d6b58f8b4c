/** Where the window was when it was last seen. Keeps window-state.json in the data folder; a file that cannot be read is as none. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";

const boundsSchema = z.object({ x: z.int(), y: z.int(), width: z.int().positive(), height: z.int().positive() });

const windowStateSchema = z.object({
  /** The bounds to go back to when the window is no longer maximised, in device-independent pixels. */
  bounds: boundsSchema,
  maximized: z.boolean(),
});
export type WindowState = z.infer<typeof windowStateSchema>;
export type Bounds = z.infer<typeof boundsSchema>;

export const minimumSize = { width: 480, height: 400 } as const;
const preferredSize = { width: 1_180, height: 800 } as const;

/** As much of the title bar must be on a display, or the window could not be dragged back. */
const grip = { width: 120, height: 32 } as const;

function overlap(startA: number, lengthA: number, startB: number, lengthB: number): number {
  return Math.min(startA + lengthA, startB + lengthB) - Math.max(startA, startB);
}

function holdsTitleBar(area: Bounds, bounds: Bounds): boolean {
  const titleBar = { ...bounds, height: grip.height };
  return (
    overlap(titleBar.x, titleBar.width, area.x, area.width) >= grip.width &&
    overlap(titleBar.y, titleBar.height, area.y, area.height) >= grip.height
  );
}

function centred(area: Bounds): Bounds {
  const width = Math.min(preferredSize.width, area.width);
  const height = Math.min(preferredSize.height, area.height);
  const x = area.x + Math.round((area.width - width) / 2);
  const y = area.y + Math.round((area.height - height) / 2);
  return { x, y, width, height };
}

function shrunk(bounds: Bounds, area: Bounds): Bounds {
  const width = Math.max(minimumSize.width, Math.min(bounds.width, area.width));
  const height = Math.max(minimumSize.height, Math.min(bounds.height, area.height));
  return { ...bounds, width, height };
}

/**
 * The state to open with: the saved one where its title bar can be reached on a display of today, in the size that
 * fits there; else a window in the middle of the first display. `workAreas`: the displays, the primary one first.
 */
export function placeWindow(saved: WindowState | null, workAreas: readonly [Bounds, ...Bounds[]]): WindowState {
  if (saved === null) return { bounds: centred(workAreas[0]), maximized: false };
  for (const area of workAreas) {
    const bounds = shrunk(saved.bounds, area);
    if (holdsTitleBar(area, bounds)) return { bounds, maximized: saved.maximized };
  }
  return { bounds: centred(workAreas[0]), maximized: saved.maximized };
}

/** `null` where there is none that can be read. */
export function readWindowState(path: string): WindowState | null {
  try {
    return windowStateSchema.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}

/** Replaces the file in one step. False where it could not be written: the next start then opens in the middle. */
export function writeWindowState(path: string, state: WindowState): boolean {
  const draft = `${path}.new`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(draft, JSON.stringify(state));
    renameSync(draft, path);
    return true;
  } catch {
    return false;
  }
}
