/**
 * Brings models of the hub into the models folder, each repository in a folder of its own. A model is there when all of
 * its files are: the first part of a split model, by which it is found, comes last.
 */
import { mkdir, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FetchStatus } from "../contract/app-status.ts";
import { RepriseError } from "../contract/errors.ts";
import type { HubFile, HubLevel } from "../contract/hub.ts";
import { downloadFile, hubFileUrl } from "./download-file.ts";
import { isFetchLocked, withFetchLock } from "./fetch-lock.ts";
import type { FetchSettings } from "./fetch-settings.ts";
import { toDownloadError } from "./hub-errors.ts";
import { discardPartial, partialBytes } from "./partial-file.ts";
import { putInPlace, requireIntact } from "./put-in-place.ts";
import { isSafePath } from "./repository-name.ts";
import { diskFull, isMissing, roomShortage, roomToLeaveBytes, toStorageTrouble } from "./storage-trouble.ts";
import { transferReporter } from "./transfer-reporter.ts";
import { forgetVerified, isVerifiedFile } from "./verified-file.ts";

/** A model of the hub, pinned to a commit. */
export interface WantedModel extends Pick<HubLevel, "files"> {
  readonly repository: string;
  readonly revision: string;
}

type Report = (status: FetchStatus) => void;

export class ModelFetcher {
  readonly #modelsFolder: string;
  readonly #settings: FetchSettings;

  constructor(modelsFolder: string, settings: FetchSettings) {
    this.#modelsFolder = modelsFolder;
    this.#settings = settings;
  }

  /** Where a model's first file will lie. Throws INVALID_INPUT for names that lead elsewhere. */
  pathOf({ repository, files: [first] }: WantedModel): string {
    return this.#target(repository, first);
  }

  /** How much of it is here. */
  async arrivedBytes({ repository, files }: WantedModel): Promise<number> {
    const arrived = await Promise.all(
      files.map(async (file) => {
        const target = this.#target(repository, file);
        return (await sizeOf(target)) === file.sizeBytes ? file.sizeBytes : partialBytes(target, file);
      }),
    );
    return arrived.reduce((sum, bytes) => sum + bytes, 0);
  }

  /**
   * Returns when all of its files are here and verified, whoever fetched them. Reports only `fetching` and `verifying`.
   * Throws HUB_FAILED, STORAGE_FAILED, FOLDER_UNWRITABLE, INVALID_INPUT where another file has the name, or the
   * signal's reason; what has arrived is kept.
   */
  async fetch(model: WantedModel, onStatus: Report, signal: AbortSignal): Promise<void> {
    const path = this.pathOf(model);
    try {
      signal.throwIfAborted();
      await mkdir(dirname(path), { recursive: true });
      await withFetchLock(lockOf(path), { onOtherStatus: onStatus, signal }, async (share, held) => {
        await this.#fetchFiles(
          model,
          (status) => {
            share(status);
            onStatus(status);
          },
          held,
        );
      });
    } catch (caught) {
      signal.throwIfAborted();
      throw toDownloadError(toStorageTrouble(caught, path), model.repository);
    }
  }

  /** Removes what there is of a model that is not whole, unless somebody else is fetching it. Throws what the disk says. */
  async discard(model: WantedModel): Promise<void> {
    const path = this.pathOf(model);
    try {
      if ((await sizeOf(path)) !== null || (await isFetchLocked(lockOf(path)))) return;
      for (const file of model.files) {
        const target = this.#target(model.repository, file);
        await discardPartial(target);
        // A later part that was ready, of no use without the first.
        if (await isVerifiedFile(target, file)) await rm(target);
        await forgetVerified(target);
      }
      await this.#removeEmptyFolders(dirname(path));
    } catch (caught) {
      throw toStorageTrouble(caught, path);
    }
  }

  async #fetchFiles({ repository, revision, files }: WantedModel, report: Report, signal: AbortSignal): Promise<void> {
    const missing: { file: HubFile; target: string }[] = [];
    let missingBytes = 0;
    report({ state: "verifying" });
    for (const file of [...files.slice(1), ...files.slice(0, 1)]) {
      const target = this.#target(repository, file);
      if (await isVerifiedFile(target, file, signal)) continue;
      if ((await sizeOf(target)) !== null) throw inTheWay(target);
      missing.push({ file, target });
      missingBytes += file.sizeBytes - (await partialBytes(target, file));
    }
    const [first] = missing;
    if (first === undefined) return;
    await this.#requireRoom(dirname(first.target), missingBytes);
    const totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    let doneBytes = totalBytes - missing.reduce((sum, { file }) => sum + file.sizeBytes, 0);
    const onTotal = transferReporter("hub", totalBytes, report);
    for (const { file, target } of missing) {
      const before = doneBytes;
      const onReceived = (receivedBytes: number) => {
        onTotal(before + receivedBytes);
      };
      await this.#bring(hubFileUrl(this.#settings.hubUrl, repository, revision, file.path), file, target, {
        onReceived,
        onWhole: () => {
          report({ state: "verifying" });
        },
        signal,
      });
      doneBytes += file.sizeBytes;
    }
  }

  async #bring(
    url: string,
    file: HubFile,
    target: string,
    watching: { onReceived: (receivedBytes: number) => void; onWhole: () => void; signal: AbortSignal },
  ): Promise<void> {
    await mkdir(dirname(target), { recursive: true });
    const arrived = await downloadFile({ ...watching, ...file, url, target, settings: this.#settings });
    await requireIntact(arrived, target, file);
    await putInPlace(arrived, target, file);
  }

  async #requireRoom(folder: string, missingBytes: number): Promise<void> {
    const shortage = roomShortage(missingBytes + roomToLeaveBytes, await this.#settings.freeBytes(folder));
    if (shortage !== null) throw diskFull(folder, shortage);
  }

  #target(repository: string, { path }: HubFile): string {
    const below = `${repository}/${path}`;
    if (!isSafePath(below)) throw unsafeName(below);
    return join(this.#modelsFolder, ...below.split("/"));
  }

  /** Up to the models folder, as far as nothing else is in them. */
  async #removeEmptyFolders(folder: string): Promise<void> {
    for (let each = folder; each.length > this.#modelsFolder.length; each = dirname(each)) {
      try {
        await rmdir(each);
      } catch {
        return;
      }
    }
  }
}

function lockOf(path: string): string {
  return `${path}.lock`;
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size;
  } catch (caught) {
    if (isMissing(caught)) return null;
    throw caught;
  }
}

function inTheWay(path: string): RepriseError<"INVALID_INPUT"> {
  const reason = `${path} is another file than the one the hub has under this name`;
  return new RepriseError("INVALID_INPUT", `${reason}. Move it away or remove it, then resume.`, { reason });
}

function unsafeName(path: string): RepriseError<"INVALID_INPUT"> {
  const reason = `“${path}” is no name for a file on this computer`;
  return new RepriseError("INVALID_INPUT", `${reason}. Fetch it in a browser and add it here.`, { reason });
}
