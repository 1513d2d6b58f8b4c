/** What a server answers when it is asked for a part of a file: the part, or the whole; anything else is refused. */
import type { ByteRange } from "./byte-ranges.ts";
import { FetchAttemptError } from "./fetch-attempt-error.ts";
import { requestFromHub } from "./hub-request.ts";

/** What is there belongs to another version than what would come, or nobody can tell: it has to begin anew. */
export class OtherVersion extends FetchAttemptError {}

export interface RangeAnswer {
  /** False where it sends all of the file, whatever was asked for. */
  readonly isPart: boolean;
  /** Its name of the version, as it came. */
  readonly tag: string | null;
  readonly body: ReadableStreamDefaultReader<Uint8Array>;
}

interface RangeRequest {
  readonly url: string;
  readonly hubUrl: string;
  readonly sizeBytes: number;
  readonly range: ByteRange;
  /** The version the part must be of; `null` while none is known. */
  readonly tag: string | null;
  readonly signal: AbortSignal;
}

/** Throws OtherVersion, FetchAttemptError, or the signal's reason. */
export async function requestRange(request: RangeRequest): Promise<RangeAnswer> {
  const response = await send(request);
  const tag = response.headers.get("etag");
  const isPart = response.status === 206;
  if (isPart) requirePart(response, request);
  else requireSize(Number(response.headers.get("content-length") ?? request.sizeBytes), request);
  if (isPart && tag !== null && request.tag !== null && tag !== request.tag) {
    throw new OtherVersion("it changed the file meanwhile");
  }
  if (response.body === null) throw new FetchAttemptError("it sent nothing");
  // Taken at once: a body that nobody reads is cancelled without a word when its response is garbage collected.
  return { isPart, tag, body: response.body.getReader() };
}

async function send({ url, hubUrl, sizeBytes, range, tag, signal }: RangeRequest): Promise<Response> {
  const { from, to } = range;
  const isAll = from === 0 && to === sizeBytes;
  const headers: Record<string, string> = {
    // Compressed on the way, the counts of bytes would mean nothing.
    "Accept-Encoding": "identity",
    ...(!isAll && { Range: `bytes=${from}-${to === sizeBytes ? "" : to - 1}` }),
    ...(!isAll && tag !== null && { "If-Range": tag }),
  };
  try {
    return await requestFromHub({ url, hubUrl, headers, signal });
  } catch (caught) {
    if (caught instanceof FetchAttemptError && caught.status === 416 && !isAll) {
      throw new OtherVersion("it has another file there", { cause: caught });
    }
    throw caught;
  }
}

function requirePart({ headers }: Response, request: RangeRequest): void {
  const [, first, last, size] = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(headers.get("content-range") ?? "") ?? [];
  if (Number(first) !== request.range.from || !(Number(last) < request.range.to)) {
    throw new FetchAttemptError("it sent another part of the file than was asked for");
  }
  if (size !== "*") requireSize(Number(size), request);
}

function requireSize(offeredBytes: number, { sizeBytes }: RangeRequest): void {
  if (offeredBytes === sizeBytes) return;
  throw new FetchAttemptError(`it has a file of ${offeredBytes} bytes there instead of ${sizeBytes}`);
}
