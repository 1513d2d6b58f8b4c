/**
 * Models that were asked for and are on their way, one at a time. It owns the queue, which survives a restart; where
 * the bytes come from and whether they are right is the fetcher's business.
 */
import { RepriseError, toRepriseError } from "../contract/errors.ts";
import type { ArrivedModel, ModelDownload, ModelRequest } from "../contract/hub.ts";
import { newId } from "../contract/id.ts";
import { abortable } from "./abortable.ts";
import { EventHub } from "./event-hub.ts";
import type { HubModels } from "./hub-models.ts";
import { PendingDownload } from "./pending-download.ts";
import type { DownloadRecord, DownloadStore, ModelFetcher } from "./ports.ts";

interface Dependencies {
  readonly hub: HubModels;
  readonly fetcher: ModelFetcher;
  readonly list: DownloadStore;
  /** The models folder has a new model. Never rejects. */
  readonly onArrived: () => Promise<void>;
  /** The list could not be kept. */
  readonly onTrouble: (error: RepriseError) => void;
}

interface Running {
  readonly download: PendingDownload;
  readonly cancel: AbortController;
  readonly done: Promise<void>;
}

export class ModelDownloads {
  readonly #parts: Dependencies;
  readonly #events = new EventHub<ModelDownload[]>({
    snapshot: () => this.#pending.map((download) => download.view()),
    backlogLimit: 0,
    snapshotGapMs: 50,
  });
  #pending: PendingDownload[] = [];
  readonly #arrived = new Map<string, ArrivedModel>();
  #running: Running | null = null;
  #saved: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Takes up what an earlier process left. `mayContinue`: false shows it as paused, and leaves it for another start. */
  async open(mayContinue: boolean): Promise<void> {
    const records = await this.#parts.list.load();
    this.#pending = await Promise.all(records.map((record) => this.#toPending(record)));
    for (const download of this.#pending) download.isHeld = !mayContinue;
    this.#next();
  }

  watch(signal?: AbortSignal): AsyncIteratorObject<ModelDownload[], undefined> {
    return this.#events.watch(signal);
  }

  /** Queues it, or goes on with it where it was begun before. Throws INVALID_INPUT and HUB_FAILED. */
  async get(request: ModelRequest, signal: AbortSignal): Promise<ModelDownload> {
    const record = { id: newId(), ...(await this.#parts.hub.find(request, signal)), isPaused: false };
    const download = await this.#toPending(record);
    const begun = this.#pending.find((other) => other.isSameLevel(download));
    if (begun?.isSameModel(download) === true) return this.resume(begun.id);
    if (begun !== undefined) await this.cancel(begun.id);
    this.#pending.push(download);
    this.#changed();
    this.#next();
    return download.view();
  }

  /** Returns when the model has arrived. Throws why it failed, and NOT_FOUND where it is cancelled or unknown. */
  async arrival(id: string, signal: AbortSignal): Promise<ArrivedModel> {
    return this.#arrived.get(id) ?? abortable(this.#byId(id).arrival(), signal);
  }

  /** Keeps what has arrived. Returns when nothing is fetched of it any more. */
  async pause(id: string): Promise<ModelDownload> {
    const download = this.#byId(id);
    download.isPaused = true;
    await this.#interrupt(download);
    this.#changed();
    return download.view();
  }

  /** Goes on with one that is paused or failed, when it is its turn. */
  resume(id: string): ModelDownload {
    const download = this.#byId(id);
    download.resume();
    this.#changed();
    this.#next();
    return download.view();
  }

  /** Forgets it, and removes what has arrived of it. */
  async cancel(id: string): Promise<void> {
    const download = this.#byId(id);
    download.isPaused = true;
    await this.#interrupt(download);
    // It may have arrived at the last moment, or been cancelled twice.
    if (!this.#pending.includes(download)) return;
    this.#remove(download);
    download.dismiss(gone(id));
    await this.#parts.fetcher.discard(download.record);
  }

  /** What is running goes on with the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#running?.cancel.abort();
    await this.#running?.done;
    await this.#saved;
    for (const download of this.#pending) download.dismiss(closed());
  }

  end(): void {
    this.#events.end();
  }

  async #toPending(record: DownloadRecord): Promise<PendingDownload> {
    const { fetcher } = this.#parts;
    return new PendingDownload(record, fetcher.pathOf(record), await fetcher.arrivedBytes(record));
  }

  #next(): void {
    const download = this.#pending.find(({ isWaiting }) => isWaiting);
    if (this.#running !== null || this.#isClosed || download === undefined) return;
    const cancel = new AbortController();
    this.#running = { download, cancel, done: this.#fetch(download, cancel.signal) };
    this.#events.refresh();
  }

  /** Never rejects. */
  async #fetch(download: PendingDownload, signal: AbortSignal): Promise<void> {
    const show = (status: Parameters<PendingDownload["progress"]>[0]) => {
      if (signal.aborted) return;
      download.progress(status);
      this.#events.refresh();
    };
    try {
      await this.#parts.fetcher.fetch(download.record, show, signal);
      await this.#arrive(download);
    } catch (caught) {
      if (!signal.aborted) download.fail(toRepriseError(caught));
    } finally {
      // Reports of progress are rarer than progress. Where the disk does not tell, the last report has to do.
      download.interrupted(await this.#parts.fetcher.arrivedBytes(download.record).catch(() => null));
      this.#running = null;
      this.#changed();
      this.#next();
    }
  }

  async #arrive(download: PendingDownload): Promise<void> {
    await this.#parts.onArrived();
    const arrived = download.arrived();
    this.#arrived.set(download.id, arrived);
    this.#remove(download);
    download.settle(arrived);
  }

  async #interrupt(download: PendingDownload): Promise<void> {
    if (this.#running?.download !== download) return;
    this.#running.cancel.abort();
    await this.#running.done;
  }

  #remove(download: PendingDownload): void {
    this.#pending = this.#pending.filter((other) => other !== download);
    this.#changed();
  }

  #byId(id: string): PendingDownload {
    const download = this.#pending.find((one) => one.id === id);
    if (download === undefined) throw gone(id);
    return download;
  }

  #changed(): void {
    this.#events.refresh();
    this.#saved = this.#parts.list.save(this.#pending.map(({ record }) => record)).catch((caught: unknown) => {
      this.#parts.onTrouble(toRepriseError(caught));
    });
  }
}

function gone(id: string): RepriseError<"NOT_FOUND"> {
  return new RepriseError("NOT_FOUND", "This download is not there any more. Ask for the model again.", {
    what: "download",
    id,
  });
}

function closed(): RepriseError<"CONNECTION_LOST"> {
  return new RepriseError("CONNECTION_LOST", "Reprise was closed. What has arrived of the model is kept.", {});
}
