/**
 * What the model hub says a repository has. Asked only when a person wants to know; nothing is sent but the name, and
 * whatever comes back is a stranger's word: bounded in size and time, and checked before anything is made of it.
 */
import { z } from "zod";
import { RepriseError } from "../contract/errors.ts";
import type { HubFile, HubFiles } from "../contract/hub.ts";
import { FetchAttemptError, networkReason } from "./fetch-attempt-error.ts";
import type { FetchSettings } from "./fetch-settings.ts";
import { hubFailed, toListingError } from "./hub-errors.ts";
import { groupLevels, suggestLevel } from "./hub-levels.ts";
import { requestFromHub } from "./hub-request.ts";
import { isSafePath, readRepositoryName } from "./repository-name.ts";
import { Watchdog } from "./watchdog.ts";

const repositorySchema = z.object({
  id: z.string().optional(),
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  gated: z.union([z.boolean(), z.string()]).optional(),
});

const treeSchema = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.number(),
    /** Large files only; `oid` is the SHA-256 of the content. */
    lfs: z.object({ oid: z.string().regex(/^[0-9a-f]{64}$/), size: z.number() }).optional(),
  }),
);

const mostAnswerBytes = 8 * 2 ** 20;
/** Of a thousand files each. */
const mostPages = 10;
const rememberedTrees = 20;

export class HubClient {
  readonly #settings: FetchSettings;
  /** A commit's files never change. */
  readonly #known = new Map<string, HubFiles>();

  constructor(settings: FetchSettings) {
    this.#settings = settings;
  }

  /**
   * `name`: `owner/name`, or the address of its page. `revision`: a commit or branch; the newest where it is null.
   * Throws INVALID_INPUT for what is no name, HUB_FAILED with the reason, or the signal's reason.
   */
  async files(name: string, revision: string | null, signal: AbortSignal): Promise<HubFiles> {
    const repository = readRepositoryName(name);
    if (repository === null) throw noName(name);
    const known = this.#known.get(`${repository}@${revision ?? ""}`);
    if (known !== undefined) return known;
    try {
      return this.#remember(await this.#ask(repository, revision ?? "main", signal));
    } catch (caught) {
      signal.throwIfAborted();
      throw toListingError(caught, repository);
    }
  }

  async #ask(asked: string, revision: string, signal: AbortSignal): Promise<HubFiles> {
    const { hubUrl } = this.#settings;
    const about = await this.#json(
      `${hubUrl}/api/models/${asked}/revision/${encodeURIComponent(revision)}`,
      repositorySchema,
      signal,
    );
    const { id, sha, gated } = about.value;
    const repository = (id === undefined ? null : readRepositoryName(id)) ?? asked;
    if (gated !== undefined && gated !== false) throw hubFailed("gated", repository);
    const { levels, others } = groupLevels(await this.#tree(repository, sha, signal));
    const [first, ...rest] = levels;
    if (first === undefined) throw hubFailed("no-models", repository);
    return { repository, revision: sha, levels, suggestedLevel: suggestLevel([first, ...rest]).name, others };
  }

  async #tree(repository: string, sha: string, signal: AbortSignal): Promise<HubFile[]> {
    const url = new URL(`${this.#settings.hubUrl}/api/models/${repository}/tree/${sha}?recursive=true`);
    const files: HubFile[] = [];
    for (let page = 1; ; page += 1) {
      const { value, next } = await this.#json(url.href, treeSchema, signal);
      files.push(...value.flatMap(toHubFile));
      if (next === null) return files;
      if (page === mostPages) throw new FetchAttemptError("the repository has too many files");
      // Where the next page is, is the hub's to say; on which host, is not.
      url.search = next.search;
    }
  }

  async #json<Schema extends z.ZodType>(
    url: string,
    schema: Schema,
    signal: AbortSignal,
  ): Promise<{ value: z.infer<Schema>; next: URL | null }> {
    const { hubUrl, connectTimeoutMs, stallTimeoutMs } = this.#settings;
    using watchdog = new Watchdog();
    const timeoutMs = connectTimeoutMs + stallTimeoutMs;
    const silence = `it did not answer within ${timeoutMs / 1_000} seconds`;
    watchdog.expectWithin(timeoutMs, new FetchAttemptError(silence, { mayPass: true }));
    const either = AbortSignal.any([signal, watchdog.signal]);
    try {
      const response = await requestFromHub({ url, hubUrl, headers: { Accept: "application/json" }, signal: either });
      const value = schema.safeParse(parse(await boundedText(response)));
      if (!value.success) throw new FetchAttemptError("what it sent has another form than expected");
      return { value: value.data, next: nextPage(response.headers.get("link"), url) };
    } catch (caught) {
      if (either.aborted) throw either.reason;
      throw caught;
    }
  }

  #remember(files: HubFiles): HubFiles {
    this.#known.set(`${files.repository}@${files.revision}`, files);
    const [oldest] = this.#known.keys();
    if (this.#known.size > rememberedTrees && oldest !== undefined) this.#known.delete(oldest);
    return files;
  }
}

/** Without a checksum a file could not be verified, and a name that leads elsewhere is nobody's honest file name. */
function toHubFile({ type, path, lfs }: z.infer<typeof treeSchema>[number]): HubFile[] {
  if (type !== "file" || lfs === undefined || !isSafePath(path)) return [];
  return [{ path, sizeBytes: lfs.size, sha256: lfs.oid }];
}

async function boundedText({ body }: Response): Promise<string> {
  if (body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > mostAnswerBytes) throw new FetchAttemptError("what it sent is too long");
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (caught) {
    if (caught instanceof FetchAttemptError) throw caught;
    throw new FetchAttemptError(networkReason(caught), { cause: caught, mayPass: true });
  }
  return text + decoder.decode();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (caught) {
    throw new FetchAttemptError("what it sent is not JSON", { cause: caught });
  }
}

function nextPage(link: string | null, base: string): URL | null {
  const address = /<([^>]+)>\s*;\s*rel="?next"?/.exec(link ?? "")?.[1];
  return address === undefined ? null : URL.parse(address, base);
}

function noName(name: string): RepriseError<"INVALID_INPUT"> {
  const reason = `“${name}” is no name of a repository on the model hub (owner/name)`;
  return new RepriseError("INVALID_INPUT", `${reason}.`, { reason });
}
