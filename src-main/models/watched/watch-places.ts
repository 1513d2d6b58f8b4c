/** Where other programs keep their models. Pure. */
import { posix, win32 } from "node:path";

export interface WatchPlace {
  readonly source: "lm-studio" | "jan" | "ollama" | "hub-cache";
  readonly folder: string;
}

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeFolder: string;
}

/** Absolute paths, of which most will not be there. None where REPRISE_WATCH is `off`. */
export function watchPlaces(machine: Machine): WatchPlace[] {
  if (machine.environment["REPRISE_WATCH"]?.trim().toLowerCase() === "off") return [];
  const folders: Readonly<Record<WatchPlace["source"], readonly string[]>> = {
    "lm-studio": lmStudioFolders(machine),
    jan: janFolders(machine),
    ollama: ollamaFolders(machine),
    "hub-cache": hubCacheFolders(machine),
  };
  return Object.entries(folders).flatMap(([source, paths]) =>
    [...new Set(paths)].map((folder) => ({ source: source as WatchPlace["source"], folder })),
  );
}

function pathOf({ platform }: Machine): typeof posix {
  return platform === "win32" ? win32 : posix;
}

/** A variable that names an absolute folder; anything else counts as not set. */
function named(machine: Machine, variable: string): string | null {
  const value = machine.environment[variable]?.trim() ?? "";
  return value !== "" && pathOf(machine).isAbsolute(value) ? value : null;
}

function lmStudioFolders(machine: Machine): string[] {
  const path = pathOf(machine);
  return [
    path.join(machine.homeFolder, ".lmstudio", "models"),
    path.join(machine.homeFolder, ".cache", "lm-studio", "models"),
  ];
}

/** Its data folder moved with a version; both are looked at. */
function janFolders(machine: Machine): string[] {
  const path = pathOf(machine);
  const { platform, homeFolder } = machine;
  const models = (base: string) => path.join(base, "Jan", "data", "llamacpp", "models");
  if (platform === "win32") return [models(named(machine, "APPDATA") ?? path.join(homeFolder, "AppData", "Roaming"))];
  if (platform === "darwin") return [models(path.join(homeFolder, "Library", "Application Support"))];
  const config = named(machine, "XDG_CONFIG_HOME") ?? path.join(homeFolder, ".config");
  const shared = named(machine, "XDG_DATA_HOME") ?? path.join(homeFolder, ".local", "share");
  return [models(shared), models(config)];
}

/** On Linux it may run as a user of its own. */
function ollamaFolders(machine: Machine): string[] {
  const path = pathOf(machine);
  const chosen = named(machine, "OLLAMA_MODELS");
  if (chosen !== null) return [chosen];
  const own = path.join(machine.homeFolder, ".ollama", "models");
  return machine.platform === "linux" ? [own, "/usr/share/ollama/.ollama/models"] : [own];
}

function hubCacheFolders(machine: Machine): string[] {
  const path = pathOf(machine);
  const home = named(machine, "HF_HOME");
  const cache = named(machine, "XDG_CACHE_HOME") ?? path.join(machine.homeFolder, ".cache");
  return [
    named(machine, "HF_HUB_CACHE") ?? (home === null ? path.join(cache, "huggingface", "hub") : path.join(home, "hub")),
  ];
}
