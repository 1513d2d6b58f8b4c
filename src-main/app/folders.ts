import { homedir } from "node:os";
import { posix, win32 } from "node:path";

/** What the folders depend on; `thisMachine` gives the real ones. */
export interface MachineFacts {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string;
  readonly workingFolder: string;
}

/** Absolute paths. Neither folder need exist. */
export interface Folders {
  readonly dataFolder: string;
  readonly modelsFolder: string;
}

export function thisMachine(): MachineFacts {
  const { platform, env: environment } = process;
  return { platform, environment, homeFolder: homedir(), workingFolder: process.cwd() };
}

/** Folders named on the command line. */
export interface ChosenFolders {
  readonly data: string | null;
  readonly models: string | null;
}

/** What was chosen goes before REPRISE_DATA and REPRISE_MODELS, and those before the platform's place. */
export function resolveFolders(machine: MachineFacts, chosen: ChosenFolders = { data: null, models: null }): Folders {
  const { environment, workingFolder } = machine;
  const path = machine.platform === "win32" ? win32 : posix;
  const data = chosen.data ?? given(environment["REPRISE_DATA"]);
  const models = chosen.models ?? given(environment["REPRISE_MODELS"]);
  const dataFolder = data === null ? platformFolder(machine) : path.resolve(workingFolder, data);
  return {
    dataFolder,
    modelsFolder: models === null ? path.join(dataFolder, "models") : path.resolve(workingFolder, models),
  };
}

function platformFolder({ platform, environment, homeFolder }: MachineFacts): string {
  if (platform === "win32") {
    return win32.join(given(environment["APPDATA"]) ?? win32.join(homeFolder, "AppData", "Roaming"), "Reprise");
  }
  if (platform === "darwin") return posix.join(homeFolder, "Library", "Application Support", "Reprise");
  const shared = given(environment["XDG_DATA_HOME"]);
  // The specification says to ignore a relative one.
  const base = shared !== null && posix.isAbsolute(shared) ? shared : posix.join(homeFolder, ".local", "share");
  return posix.join(base, "reprise");
}

/** A variable set to nothing counts as not set. */
function given(value: string | undefined): string | null {
  return value === undefined || value.trim() === "" ? null : value;
}
