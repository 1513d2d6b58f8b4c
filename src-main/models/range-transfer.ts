/**
 * Brings what a partial file misses, over several connections at once where the server sends parts of the version that
 * is wanted. The first answer shows that; until then there is one connection. The first that fails ends them all.
 */
import type { ByteRange } from "./byte-ranges.ts";
import { FetchAttemptError, networkReason } from "./fetch-attempt-error.ts";
import type { DownloadJob } from "./fetch-job.ts";
import type { PartialFile } from "./partial-file.ts";
import { OtherVersion, requestRange, type RangeAnswer } from "./range-answer.ts";
import { Watchdog } from "./watchdog.ts";

export class RangeTransfer {
  readonly #job: DownloadJob;
  readonly #part: PartialFile;
  readonly #connections: number;
  readonly #stop = new AbortController();
  /** What nobody fetches yet. */
  #open: ByteRange[] = [];
  readonly #others: Promise<void>[] = [];
  #sendsParts = false;

  constructor(job: DownloadJob, part: PartialFile, connections: number) {
    this.#job = job;
    this.#part = part;
    this.#connections = connections;
  }

  /** Throws OtherVersion, FetchAttemptError, the file system's errors or the signal's reason; what has arrived is kept. */
  async run(): Promise<void> {
    // Nobody could tell whether the rest would be of the same version.
    if (this.#part.doneBytes > 0 && this.#part.tag === null) await this.#part.restart(null);
    this.#open = this.#part.missing();
    try {
      await this.#work();
      await Promise.all(this.#others);
    } finally {
      await Promise.allSettled(this.#others);
    }
  }

  async #work(): Promise<void> {
    try {
      for (let range = this.#claim(); range !== null; range = this.#claim()) await this.#fetch(range);
    } catch (caught) {
      this.#stop.abort(caught);
      throw caught;
    }
  }

  /** The next range in order, so that the beginning grows and can be hashed. */
  #claim(): ByteRange | null {
    const next = this.#open.shift();
    if (next === undefined) return null;
    const to = this.#connections === 1 ? next.to : Math.min(next.to, next.from + this.#job.settings.segmentBytes);
    if (to < next.to) this.#open.unshift({ from: to, to: next.to });
    return { from: next.from, to };
  }

  async #fetch(range: ByteRange): Promise<void> {
    using watchdog = new Watchdog();
    const cancel = new AbortController();
    const signal = AbortSignal.any([this.#job.signal, this.#stop.signal, watchdog.signal, cancel.signal]);
    try {
      const answer = await this.#ask(range, watchdog, signal);
      if (answer.isPart) await this.#acceptPart(answer);
      else await this.#acceptWhole(answer);
      await this.#receive(answer, answer.isPart ? range : { from: 0, to: this.#job.sizeBytes }, watchdog);
    } catch (caught) {
      if (signal.aborted) throw signal.reason;
      throw caught;
    } finally {
      // Without this a body that was not read to its end keeps the connection open.
      cancel.abort();
    }
  }

  #ask(range: ByteRange, watchdog: Watchdog, signal: AbortSignal): Promise<RangeAnswer> {
    const { url, sizeBytes, settings } = this.#job;
    const { hubUrl, connectTimeoutMs } = settings;
    const silence = `it did not answer within ${connectTimeoutMs / 1_000} seconds`;
    watchdog.expectWithin(connectTimeoutMs, new FetchAttemptError(silence, { mayPass: true }));
    return requestRange({ url, hubUrl, sizeBytes, range, tag: this.#part.tag, signal });
  }

  async #acceptPart({ tag }: RangeAnswer): Promise<void> {
    if ((this.#part.tag ?? (await this.#part.restart(tag))) === null) {
      throw new OtherVersion("it does not say which version it sends parts of");
    }
    if (this.#sendsParts) return;
    this.#sendsParts = true;
    for (let others = 1; others < this.#connections && this.#open.length > 0; others += 1) {
      const other = this.#work();
      // Its failure is `run`'s to tell, which may still be busy with its own connection.
      other.catch(() => undefined);
      this.#others.push(other);
    }
  }

  /** It knows no parts, or has another version than the one that was begun. */
  async #acceptWhole({ tag }: RangeAnswer): Promise<void> {
    if (this.#sendsParts) throw new OtherVersion("it changed the file meanwhile");
    this.#open = [];
    await this.#part.restart(tag);
  }

  async #receive({ body, isPart }: RangeAnswer, { from, to }: ByteRange, watchdog: Watchdog): Promise<void> {
    const { settings, onReceived } = this.#job;
    const silence = `nothing more came for ${settings.stallTimeoutMs / 1_000} seconds`;
    const expectMore = () => {
      watchdog.expectWithin(settings.stallTimeoutMs, new FetchAttemptError(silence, { mayPass: true }));
    };
    let position = from;
    expectMore();
    onReceived(this.#part.doneBytes);
    for await (const bytes of chunks(body)) {
      if (position + bytes.length > to) {
        throw new FetchAttemptError(`it sent more than ${isPart ? "was asked for" : "the file has"}`);
      }
      watchdog.expectNothing();
      await this.#part.write(bytes, position);
      position += bytes.length;
      expectMore();
      onReceived(this.#part.doneBytes);
    }
    if (position < to) throw new FetchAttemptError("the connection ended too early", { mayPass: true });
  }
}

/** Throws FetchAttemptError where the connection breaks off. */
async function* chunks(reader: RangeAnswer["body"]): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read().catch((caught: unknown) => {
      throw new FetchAttemptError(networkReason(caught), { cause: caught, mayPass: true });
    });
    if (done) return;
    yield value;
  }
}
