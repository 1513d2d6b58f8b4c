import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  minimumSize,
  placeWindow,
  readWindowState,
  writeWindowState,
  type Bounds,
  type WindowState,
} from "../../../src-main/desktop/window-state.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

const laptop: Bounds = { x: 0, y: 25, width: 1440, height: 875 };
const monitor: Bounds = { x: 1440, y: 0, width: 2560, height: 1440 };
const state = (bounds: Bounds, maximized = false): WindowState => ({ bounds, maximized });

describe("a window", () => {
  test("opens in the middle of the first display where nothing is known of it", () => {
    expect(placeWindow(null, [laptop])).toEqual(state({ x: 130, y: 63, width: 1180, height: 800 }));
  });

  test("opens where it was, on whichever display", () => {
    const there = state({ x: 1500, y: 100, width: 1000, height: 900 }, true);
    expect(placeWindow(there, [laptop, monitor])).toEqual(there);
  });

  test("comes back to the first display when its own is gone, and is still maximised", () => {
    const there = state({ x: 1500, y: 100, width: 1000, height: 900 }, true);
    expect(placeWindow(there, [laptop])).toEqual({ ...placeWindow(null, [laptop]), maximized: true });
  });

  test("comes back when only an edge of its title bar would show", () => {
    const below = state({ x: 100, y: 890, width: 1000, height: 700 });
    expect(placeWindow(below, [laptop]).bounds).toEqual(placeWindow(null, [laptop]).bounds);
  });

  test("shrinks to a smaller display", () => {
    expect(placeWindow(state({ x: 0, y: 25, width: 2560, height: 1440 }), [laptop]).bounds).toEqual(laptop);
  });

  test("is never smaller than it can be used, and always within reach of the mouse", () => {
    const coordinate = fc.integer({ min: -10_000, max: 10_000 });
    const size = fc.integer({ min: 1, max: 10_000 });
    const bounds = fc.record({ x: coordinate, y: coordinate, width: size, height: size });
    fc.assert(
      fc.property(bounds, (saved) => {
        const placed = placeWindow(state(saved), [laptop, monitor]).bounds;
        const isReachable = [laptop, monitor].some(
          (area) =>
            placed.x + placed.width >= area.x + 120 &&
            placed.x <= area.x + area.width - 120 &&
            placed.y >= area.y &&
            placed.y <= area.y + area.height - 32,
        );
        return placed.width >= minimumSize.width && placed.height >= minimumSize.height && isReachable;
      }),
    );
  });
});

describe("the state's file", () => {
  test("gives back what was written, and leaves nothing else behind", () => {
    const folder = temporaryFolder();
    const path = join(folder, "window-state.json");
    const written = state({ x: -5, y: 30, width: 800, height: 600 }, true);
    expect(writeWindowState(path, written)).toBe(true);
    expect(readWindowState(path)).toEqual(written);
    expect(readdirSync(folder)).toEqual(["window-state.json"]);
  });

  test.each([
    "",
    "{",
    "null",
    '{"bounds":{"x":0,"y":0,"width":0,"height":10},"maximized":false}',
    '{"maximized":true}',
  ])("counts as none when it says %j", (text) => {
    const path = join(temporaryFolder(), "window-state.json");
    writeFileSync(path, text);
    expect(readWindowState(path)).toBeNull();
  });

  test("counts as none when there is none", () => {
    expect(readWindowState(join(temporaryFolder(), "window-state.json"))).toBeNull();
  });

  test("that cannot be written is no reason to fail", () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, "file"), "");
    const path = join(folder, "file", "window-state.json");
    expect(writeWindowState(path, state(laptop))).toBe(false);
    expect(existsSync(path)).toBe(false);
  });
});
