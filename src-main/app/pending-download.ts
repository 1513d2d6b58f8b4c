/** One model that is on its way: what is asked for, how far it is, and who waits for it. */
import type { FetchStatus } from "../contract/app-status.ts";
import { errorView, type RepriseError } from "../contract/errors.ts";
import type { ArrivedModel, HubFile, ModelDownload } from "../contract/hub.ts";
import type { DownloadRecord } from "./ports.ts";

type Arrival = PromiseWithResolvers<ArrivedModel>;

export class PendingDownload {
  readonly id: string;
  /** Left by an earlier process, and not to go on by itself in this one. */
  isHeld = false;
  #record: DownloadRecord;
  readonly #path: string;
  readonly #totalBytes: number;
  #doneBytes: number;
  #status: FetchStatus = { state: "none" };
  #failure: RepriseError | null = null;
  #arrival: Arrival | null = null;

  constructor(record: DownloadRecord, path: string, arrivedBytes: number) {
    this.id = record.id;
    this.#record = record;
    this.#path = path;
    this.#totalBytes = record.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    this.#doneBytes = arrivedBytes;
  }

  /** What the next start has to know. */
  get record(): DownloadRecord {
    return this.#record;
  }

  set isPaused(isPaused: boolean) {
    this.#record = { ...this.#record, isPaused };
  }

  /** For its turn. */
  get isWaiting(): boolean {
    return this.#status.state === "none" && this.#failure === null && !this.#record.isPaused && !this.isHeld;
  }

  isSameLevel({ record }: PendingDownload): boolean {
    return record.repository === this.#record.repository && record.level === this.#record.level;
  }

  /** The same bytes, whatever commit they were found in. */
  isSameModel({ record }: PendingDownload): boolean {
    return identity(record.files) === identity(this.#record.files);
  }

  resume(): void {
    this.isPaused = false;
    this.isHeld = false;
    this.#failure = null;
  }

  progress(status: FetchStatus): void {
    this.#status = status;
    if (status.state === "fetching") this.#doneBytes = status.receivedBytes;
  }

  /** Nothing is fetched of it any more, for whatever reason. `arrivedBytes`: `null` where that is not known. */
  interrupted(arrivedBytes: number | null): void {
    this.#status = { state: "none" };
    this.#doneBytes = arrivedBytes ?? this.#doneBytes;
  }

  /** It waits until it is resumed, also after a restart. */
  fail(failure: RepriseError): void {
    this.#failure = failure;
    this.isPaused = true;
    this.dismiss(failure);
  }

  /** Nobody need wait for it any longer. */
  dismiss(reason: RepriseError): void {
    this.#arrival?.reject(reason);
    this.#arrival = null;
  }

  arrived(): ArrivedModel {
    const { repository, revision, level, files } = this.#record;
    return { path: this.#path, bytes: this.#totalBytes, sha256: files[0].sha256, repository, revision, level };
  }

  settle(arrived: ArrivedModel): void {
    this.#arrival?.resolve(arrived);
  }

  /** Rejects with why it failed. */
  arrival(): Promise<ArrivedModel> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    this.#arrival ??= Promise.withResolvers();
    const { promise } = this.#arrival;
    // Whoever waited may have gone when it fails.
    promise.catch(() => undefined);
    return promise;
  }

  view(): ModelDownload {
    const { id, repository, revision, level } = this.#record;
    const status = this.#status.state === "fetching" ? this.#status : null;
    return {
      id,
      repository,
      revision,
      level,
      path: this.#path,
      state: this.#state(),
      doneBytes: this.#doneBytes,
      totalBytes: this.#totalBytes,
      bytesPerSecond: status?.bytesPerSecond ?? null,
      secondsLeft: status?.secondsLeft ?? null,
      error: this.#failure === null ? null : errorView(this.#failure),
    };
  }

  #state(): ModelDownload["state"] {
    if (this.#failure !== null) return "failed";
    if (this.#status.state === "verifying") return "verifying";
    if (this.#status.state === "fetching") return "running";
    return this.#record.isPaused || this.isHeld ? "paused" : "queued";
  }
}

function identity(files: readonly HubFile[]): string {
  return files.map(({ path, sha256 }) => `${path} ${sha256}`).join("\n");
}
