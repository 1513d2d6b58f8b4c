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
  /** After a connection broke off, before the rest is asked for. */
  readonly retryDelayMs: number;
  readonly freeBytes: (folder: string) => Promise<number>;
}

const publicHubUrl = "https://huggingface.co";

/** HF_ENDPOINT names a mirror of the hub, as it does for the hub's own tools. */
export function fetchSettings(environment: Readonly<Record<string, string | undefined>>): FetchSettings {
  return {
    hubUrl: hubUrl(environment["HF_ENDPOINT"]),
    pipCommands: [["python3", "-m", "pip"], ["python", "-m", "pip"], ["pip3"], ["pip"], ["py", "-m", "pip"]],
    pythonCommands: [["python3"], ["python"], ["py"]],
    connectTimeoutMs: 10_000,
    stallTimeoutMs: 30_000,
    retryDelayMs: 1_000,
    freeBytes: async (folder) => {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    },
  };
}

function hubUrl(mirror: string | undefined): string {
  return mirror === undefined || mirror.trim() === "" ? publicHubUrl : mirror.trim().replace(/\/+$/, "");
}
