import { spawn } from "node:child_process";

/** The system's way to open an address: program and arguments. */
export function browserCommand(platform: NodeJS.Platform, url: string): readonly [string, ...string[]] {
  if (platform === "darwin") return ["open", url];
  // `start` would take apart an address with an ampersand; this hands it over whole.
  if (platform === "win32") return ["rundll32", "url.dll,FileProtocolHandler", url];
  return ["xdg-open", url];
}

/** Resolves with whether the system took the address; which browser shows it, and whether, is out of sight. */
export function openBrowser(url: string): Promise<boolean> {
  const [program, ...words] = browserCommand(process.platform, url);
  return new Promise((resolve) => {
    const opener = spawn(program, words, { stdio: "ignore", detached: true });
    opener.once("error", () => {
      resolve(false);
    });
    opener.once("spawn", () => {
      opener.unref();
      resolve(true);
    });
  });
}
