import { once } from "node:events";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { _electron, type ElectronApplication, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { desktopObstacle } from "../../src-main/headless/desktop-obstacle.ts";
import { findElectron } from "../../src-main/headless/electron-binary.ts";
import { builtOutput } from "../helpers/built-output.ts";
import { defaultModelPath } from "../helpers/default-model.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));
const executable = findElectron(join(repository, "node_modules", "electron"));

/** Why there can be no real window on this machine, or `null`. */
function obstacle(): string | null {
  if (executable === null) return "Electron's binary is not here (node node_modules/electron/install.js fetches it)";
  const userId = process.getuid?.() ?? null;
  return desktopObstacle({ platform: process.platform, environment: process.env, userId });
}

const reason = obstacle();
if (reason !== null) process.stderr.write(`The tests in a real Electron window are skipped: ${reason}.\n`);

describe.skipIf(reason !== null)("the app in a real Electron window", () => {
  const dataFolder = mkdtempSync(join(tmpdir(), "reprise-electron-"));
  let environment: Record<string, string>;
  let electron: ElectronApplication;
  let page: Page;

  const launch = async (): Promise<void> => {
    electron = await _electron.launch({ executablePath: executable ?? "", args: [repository], env: environment });
    page = await electron.firstWindow();
    await page.getByRole("textbox", { name: /message/i }).waitFor();
  };

  beforeAll(async () => {
    builtOutput();
    const modelsFolder = dirname(await defaultModelPath());
    const inherited = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
    environment = { ...Object.fromEntries(inherited), REPRISE_DATA: dataFolder, REPRISE_MODELS: modelsFolder };
    await launch();
  });
  afterAll(async () => {
    await electron.close();
    rmSync(dataFolder, { recursive: true, force: true, maxRetries: 3 });
  });

  test("gives the page its bridge and nothing of Node", async () => {
    const given = await page.evaluate(() => ({
      bridge: typeof Reflect.get(window, "repriseDesktop"),
      node: [typeof Reflect.get(window, "require"), typeof Reflect.get(window, "process")],
      origin: window.location.origin,
    }));
    expect(given).toEqual({ bridge: "object", node: ["undefined", "undefined"], origin: "app://reprise" });
  });

  test("answers with the engine in a utility process", async () => {
    await page.getByRole("textbox", { name: /message/i }).fill("Say hello.");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Copy answer" }).waitFor({ timeout: 100_000 });
    const metrics = await electron.evaluate(({ app }) => app.getAppMetrics().map(({ name }) => name));
    expect(metrics).toContain("Reprise engine");
  });

  test("reaches no network, goes nowhere else and opens no second window", async () => {
    const fetched = await page.evaluate(() =>
      fetch("https://example.org/").then(
        () => "fetched",
        () => "refused",
      ),
    );
    expect(fetched).toBe("refused");
    await page.evaluate(() => {
      window.open("app://reprise/index.html");
      window.location.href = "https://example.org/";
    });
    expect(await page.evaluate(() => window.location.origin)).toBe("app://reprise");
    expect(electron.windows()).toHaveLength(1);
  });

  test("comes to the front when it is started again, and the second start ends", async () => {
    const second = spawn(executable ?? "", [repository], { env: environment, stdio: "ignore" });
    const [code] = (await once(second, "exit")) as [number | null];
    expect(code).toBe(0);
    expect(electron.windows()).toHaveLength(1);
  });

  test("loads its page again after a crash, once", async () => {
    await electron.evaluate(({ BrowserWindow }) => {
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer();
    });
    await expect
      .poll(() => electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.isCrashed()))
      .toBe(false);
  });

  test("remembers its window, and leaves no process and no address behind", async () => {
    const bounds = { x: 60, y: 70, width: 820, height: 640 };
    await electron.evaluate(({ BrowserWindow }, wanted) => {
      BrowserWindow.getAllWindows()[0]?.setBounds(wanted);
    }, bounds);
    const { pid } = electron.process();
    await electron.close();
    expect(existsSync(join(dataFolder, "instance.json"))).toBe(false);
    expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH");
    const state = JSON.parse(readFileSync(join(dataFolder, "window-state.json"), "utf8")) as { bounds: object };
    expect(state.bounds).toMatchObject({ width: 820, height: 640 });
    await launch();
    const reopened = await electron.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.getBounds());
    expect(reopened).toMatchObject({ width: 820, height: 640 });
  });
});
