/** What of this machine decides whether a window can be opened. */
export interface WindowFacts {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** `null` where the platform has no user ids. */
  readonly userId: number | null;
}

/** Why there can be no window here, whatever Electron's binary; `null` where nothing is in the way. */
export function desktopObstacle({ platform, environment, userId }: WindowFacts): string | null {
  if (platform !== "linux") return null;
  const { DISPLAY: x11, WAYLAND_DISPLAY: wayland } = environment;
  if ((x11 ?? "") === "" && (wayland ?? "") === "") return "There is no display here";
  // Chromium gives its sandbox up for root, and a window that shows model output is not worth that.
  if (userId === 0) return "Windows are not opened as root, because they would run without a sandbox";
  return null;
}
