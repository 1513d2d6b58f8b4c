import { join } from "node:path";
import { app, protocol, session } from "electron";
import { resolveFolders, thisMachine, type Folders } from "../app/folders.ts";
import { answerAppRequest, appOrigin, appScheme } from "./app-protocol.ts";
import { chosenFolders } from "./chosen-folders.ts";
import { DesktopApp } from "./desktop-app.ts";
import { prepareProfileFolder } from "./profile-folder.ts";
import { quitAfterClosing } from "./quit.ts";
import { lockDownContents, lockDownSession } from "./security.ts";
import { endWithReason } from "./start-failure.ts";

/**
 * Starts the app, or brings the one that runs already to the front. `mainFolder`: where main's built files lie.
 *
 * Everything Electron must know before it is ready is said before this first waits. It must not be awaited at the top
 * of a module: Electron is ready only once its entry has been evaluated.
 */
export async function startDesktop(mainFolder: string): Promise<void> {
  try {
    // Set by `electron-vite dev`.
    const devServer = app.isPackaged ? null : (process.env["ELECTRON_RENDERER_URL"] ?? null);
    prepareElectron(devServer);
    const folders = resolveFolders(thisMachine(), chosenFolders(process.argv));
    app.setPath("userData", prepareProfileFolder(folders.dataFolder));
    if (app.requestSingleInstanceLock()) await run(mainFolder, folders, devServer);
    else app.quit();
  } catch (error) {
    await endWithReason(error);
  }
}

function prepareElectron(devServer: string | null): void {
  app.enableSandbox();
  // Groups the windows under the entry that the Windows installer made.
  if (process.platform === "win32") app.setAppUserModelId("app.reprise.desktop");
  protocol.registerSchemesAsPrivileged([appScheme]);
  // Chromium itself finds no host at all, whatever asks: what the user wants fetched, main fetches without it.
  if (devServer === null) app.commandLine.appendSwitch("host-resolver-rules", "MAP * ~NOTFOUND");
  app.on("web-contents-created", (_event, contents) => {
    lockDownContents(contents);
  });
}

async function run(mainFolder: string, folders: Folders, devServer: string | null): Promise<void> {
  const outFolder = join(mainFolder, "..");
  await app.whenReady();
  lockDownSession(session.defaultSession, devServer);
  protocol.handle(appScheme.scheme, (request) => answerAppRequest(request, join(outFolder, "renderer")));
  const opening = DesktopApp.open({
    ...folders,
    preloadPath: join(outFolder, "preload", "preload.cjs"),
    engineEntry: join(mainFolder, "engine.js"),
    quantizerEntry: join(mainFolder, "quantizer.js"),
    pageUrl: devServer ?? `${appOrigin}/index.html`,
    devServer,
  });
  const showWindow = () => {
    // An app that could not open says so itself.
    void opening.then(
      (desktop) => {
        desktop.showWindow();
      },
      () => undefined,
    );
  };
  app.on("second-instance", showWindow);
  app.on("activate", showWindow);
  app.on("window-all-closed", () => {
    if (process.platform !== "darwin") app.quit();
  });
  quitAfterClosing(opening);
  await opening;
}
