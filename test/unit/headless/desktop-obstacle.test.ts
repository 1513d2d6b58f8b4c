import { expect, test } from "vitest";
import { desktopObstacle } from "../../../src-main/headless/desktop-obstacle.ts";

test.each([{ DISPLAY: ":0" }, { WAYLAND_DISPLAY: "wayland-0" }])(
  "a person at a Linux display gets a window: %o",
  (environment) => {
    expect(desktopObstacle({ platform: "linux", environment, userId: 1000 })).toBeNull();
  },
);

test.each([{}, { DISPLAY: "", WAYLAND_DISPLAY: "" }])("Linux without a display gets none: %o", (environment) => {
  expect(desktopObstacle({ platform: "linux", environment, userId: 1000 })).toMatch(/display/);
});

test("root gets none, because the sandbox would have to go", () => {
  expect(desktopObstacle({ platform: "linux", environment: { DISPLAY: ":0" }, userId: 0 })).toMatch(/root.*sandbox/);
});

test.each(["darwin", "win32"] as const)("%s always has a display", (platform) => {
  expect(desktopObstacle({ platform, environment: {}, userId: null })).toBeNull();
});
