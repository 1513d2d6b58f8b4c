import { statfs } from "node:fs/promises";

/** A program with its first arguments. */
export type Command = readonly [string, ...string[]];

/** What fetching depends on beside the file itself; tests put their own here. */
export interface FetchSettings {
  /** Address of the model hub, without a slash at the end. */
  readonly hubUrl: string;
  /** Tried in this order; the first that is there is used. */
  readonly pipCommands: readonly Command[];
  readonly pythonCommands: readonly Command[];
  /** From the request to the answer's headers, redirects included. */
  readonly connectTimeoutMs: number;
  /** Without a single new byte. */
  readonly stallTimeoutMs: number;
  /** After a connection broke off, before the rest is asked for; twice as long after each try that brought nothing. */
  readonly retryDelayMs: number;
  /** At once for one file, where the server can send parts. */
  readonly connections: number;
  /** What one connection fetches of a file before it takes the next part. */
  readonly segmentBytes: number;
  /** How much may arrive until what has arrived is recorded. */
  readonly recordEveryBytes: number;
  readonly freeBytes: (folder: string) => Promise<number>;
}

const publicHubUrl = "https://huggingface.co";

/** REPRISE_HUB names another hub; so does HF_ENDPOINT, as it does for the hub's own tools. */
export function fetchSettings(environment: Readonly<Record<string, string | undefined>>): FetchSettings {
  return {
    hubUrl: given(environment["REPRISE_HUB"]) ?? given(environment["HF_ENDPOINT"]) ?? publicHubUrl,
    pipCommands: [["python3", "-m", "pip"], ["python", "-m", "pip"], ["pip3"], ["pip"], ["py", "-m", "pip"]],
    pythonCommands: [["python3"], ["python"], ["py"]],
    connectTimeoutMs: 10_000,
    stallTimeoutMs: 30_000,
    retryDelayMs: 1_000,
    connections: 4,
    segmentBytes: 64 * 2 ** 20,
    recordEveryBytes: 64 * 2 ** 20,
    freeBytes: async (folder) => {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
  };
}

function given(url: string | undefined): string | null {
  return url === undefined || url.trim() === "" ? null : url.trim().replace(/\/+$/, "");
}
