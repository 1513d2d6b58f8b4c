/** What can be had: the recommended models, and what the hub says a repository has. Only asking for the latter asks the hub. */
import { RepriseError } from "../contract/errors.ts";
import type { CatalogueEntry, HubFiles, HubLevel, ModelRequest } from "../contract/hub.ts";
import type { DownloadRecord, ModelHub } from "./ports.ts";

interface Dependencies {
  readonly hub: ModelHub;
  readonly catalogue: { entries(): Promise<CatalogueEntry[]> };
}

export class HubModels {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  catalogue(): Promise<CatalogueEntry[]> {
    return this.#parts.catalogue.entries();
  }

  /** `name`: an id of the catalogue, `owner/name`, or the address of its page. Throws INVALID_INPUT and HUB_FAILED. */
  async files(name: string, revision: string | null, signal: AbortSignal): Promise<HubFiles> {
    const wanted = name.trim();
    const entries = await this.catalogue();
    const entry = entries.find(({ id }) => id === wanted.toLowerCase());
    if (entry === undefined && !wanted.includes("/")) throw notInCatalogue(wanted, entries);
    return this.#parts.hub.files(entry?.repository ?? wanted, revision, signal);
  }

  /** The model that is meant, pinned to a commit. Throws INVALID_INPUT and HUB_FAILED. */
  async find(request: ModelRequest, signal: AbortSignal): Promise<Omit<DownloadRecord, "id" | "isPaused">> {
    const found = await this.files(request.repository, request.revision ?? null, signal);
    const { repository, revision, levels, suggestedLevel } = found;
    const { name: level, files } = levelOf(repository, levels, request.level ?? request.file ?? suggestedLevel);
    return { repository, revision, level, files };
  }
}

/** By name or quantization, however written, or by the path of one of its files. */
function levelOf(repository: string, levels: readonly HubLevel[], wanted: string): HubLevel {
  const text = wanted.trim().toLowerCase();
  const found =
    levels.find(({ name }) => name.toLowerCase() === text) ??
    levels.find(({ files }) => files.some(({ path }) => path.toLowerCase() === text)) ??
    onlyOf(levels.filter(({ quantization }) => quantization?.toLowerCase() === text));
  if (found !== null) return found;
  const reason = `${repository} has no level “${wanted}”`;
  const names = levels.map(({ name }) => name).join(", ");
  throw new RepriseError("INVALID_INPUT", `${reason}. There are ${names}.`, { reason });
}

/** Where several have the same quantization, it does not say which is meant. */
function onlyOf(levels: readonly HubLevel[]): HubLevel | null {
  const [only, ...others] = levels;
  return others.length === 0 ? (only ?? null) : null;
}

function notInCatalogue(name: string, entries: readonly CatalogueEntry[]): RepriseError<"INVALID_INPUT"> {
  const reason = `“${name}” is not in the catalogue`;
  const known = entries.map(({ id }) => id).join(", ");
  return new RepriseError(
    "INVALID_INPUT",
    `${reason}. Name a repository of the model hub as owner/name, or one of these: ${known}.`,
    { reason },
  );
}
