import type { FileHandle } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { PublishedModelFile } from "./default-model-file.ts";
import { FetchAttemptError, networkReason } from "./fetch-attempt-error.ts";
import type { FetchJob } from "./fetch-job.ts";
import { PartialFile } from "./partial-file.ts";
import { Watchdog } from "./watchdog.ts";

/** How often a connection may break off in one call, as long as each brought something new. */
const maxTries = 5;

export function hubFileUrl(hubUrl: string, { hub, fileName }: PublishedModelFile): string {
  return `${hubUrl}/${hub.repository}/resolve/${hub.revision}/${fileName}`;
}

/**
 * Downloads the file, going on where an earlier try broke off. Returns the path of a whole, unverified file.
 * Throws FetchAttemptError, the file system's own errors, or the signal's reason; what has arrived is kept.
 */
export async function downloadFromHub(job: FetchJob): Promise<string> {
  const part = new PartialFile(job.target);
  for (let tries = 1; ; tries += 1) {
    const before = await part.sizeBytes();
    if (before === job.file.sizeBytes) return part.path;
    const brokenOff = await receive(job, part, before);
    if (brokenOff === null) return part.path;
    job.signal.throwIfAborted();
    if (tries === maxTries || (await part.sizeBytes()) <= before) throw new FetchAttemptError(brokenOff);
    await delay(job.settings.retryDelayMs, undefined, { signal: job.signal });
  }
}

/** `null` when the file is whole, else how the connection ended. */
async function receive(job: FetchJob, part: PartialFile, partBytes: number): Promise<string | null> {
  using watchdog = new Watchdog();
  const cancel = new AbortController();
  const signal = AbortSignal.any([job.signal, watchdog.signal, cancel.signal]);
  try {
    const tag = partBytes > 0 && partBytes < job.file.sizeBytes ? await part.tag() : null;
    const response = await request(job, watchdog, signal, tag === null ? null : { tag, from: partBytes });
    return await receiveBody(job, part, response, watchdog);
  } catch (caught) {
    if (signal.aborted) throw signal.reason;
    throw caught;
  } finally {
    // Without this a body that was not read to its end keeps the connection open.
    cancel.abort();
  }
}

interface Answer {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>;
  /** Position of the body's first byte in the file. */
  readonly from: number;
  readonly tag: string | null;
}

async function request(
  { file, settings }: FetchJob,
  watchdog: Watchdog,
  signal: AbortSignal,
  rest: { tag: string; from: number } | null,
): Promise<Answer> {
  const seconds = settings.connectTimeoutMs / 1_000;
  watchdog.expectWithin(
    settings.connectTimeoutMs,
    new FetchAttemptError(`it did not answer within ${seconds} seconds`),
  );
  const range = rest === null ? {} : { Range: `bytes=${rest.from}-`, "If-Range": rest.tag };
  const url = hubFileUrl(settings.hubUrl, file);
  // Compressed on the way, the counts of bytes would mean nothing.
  const response = await send(url, { headers: { "Accept-Encoding": "identity", ...range }, signal });
  if (!response.ok || response.body === null) {
    throw new FetchAttemptError(`it answered "${[response.status, response.statusText].join(" ").trim()}"`);
  }
  const from = response.status === 206 ? (rest?.from ?? 0) : 0;
  const offered = offeredSize(response, from);
  if (offered !== null && offered !== file.sizeBytes) {
    throw new FetchAttemptError(`it has a file of ${offered} bytes there instead of ${file.sizeBytes}`);
  }
  // Taken at once: a body that nobody reads is cancelled without a word when its response is garbage collected.
  return { reader: response.body.getReader(), from, tag: response.headers.get("etag") };
}

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, init);
  } catch (caught) {
    if (init.signal?.aborted) throw caught;
    throw new FetchAttemptError(networkReason(caught), { cause: caught });
  }
}

/** Size of the whole file by the answer's headers; `null` where they do not tell. */
function offeredSize({ status, headers }: Response, from: number): number | null {
  if (status !== 206) return headers.has("content-length") ? Number(headers.get("content-length")) : null;
  const range = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get("content-range") ?? "");
  if (range === null || Number(range[1]) !== from) {
    throw new FetchAttemptError("it sent another part of the file than was asked for");
  }
  return Number(range[2]);
}

async function receiveBody(
  { file, settings, onReceived }: FetchJob,
  part: PartialFile,
  { reader, from, tag }: Answer,
  watchdog: Watchdog,
): Promise<string | null> {
  const expectMore = () => {
    const seconds = settings.stallTimeoutMs / 1_000;
    watchdog.expectWithin(settings.stallTimeoutMs, new FetchAttemptError(`nothing more came for ${seconds} seconds`));
  };
  await using output = from === 0 ? await part.restart(tag) : await part.resume();
  expectMore();
  onReceived(from);
  let receivedBytes = from;
  for await (const outcome of chunks(reader)) {
    if (typeof outcome === "string") return outcome;
    if (receivedBytes + outcome.length > file.sizeBytes) throw new FetchAttemptError("it sent more than the file has");
    await writeAll(output, outcome, receivedBytes);
    receivedBytes += outcome.length;
    expectMore();
    onReceived(receivedBytes);
  }
  if (receivedBytes < file.sizeBytes) return "the connection ended too early";
  return null;
}

/** The body's chunks; where the connection breaks off, the reason in words comes last. */
async function* chunks(reader: Answer["reader"]): AsyncGenerator<Uint8Array | string> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (caught) {
    yield networkReason(caught);
  } finally {
    reader.releaseLock();
  }
}

async function writeAll(output: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    written += (await output.write(bytes, written, bytes.length - written, position + written)).bytesWritten;
  }
}
