/**
 * Where states pass through on their way between the context and the store: the library takes paths only. It owns one
 * private folder in memory-backed storage (Linux) or the temporary folder, with the process's id in its name. A file is
 * gone when its user is done with it, the folder with its owner; what killed processes left goes at the next start.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { newId } from "../../contract/id.ts";

const prefix = "reprise-state-";
const namePattern = /^reprise-state-(\d+)-/;

const sharedMemory = "/dev/shm";
/** How long, and up to which size, a file is kept to be written over. */
const spareMs = 60_000;
const largestSpareBytes = 512 << 20;

/** Of this process; those that carry its id and are not among them are from a process that had it before. */
const open = new Set<string>();

export class StateFolder implements Disposable {
  readonly #parents: readonly string[];
  readonly #memoryBacked: string;
  readonly #folders = new Map<string, string>();
  #spare: { readonly path: string; readonly timer: NodeJS.Timeout } | null = null;

  /** `parents`: the first with enough room is used. `memoryBacked`: the one of them that is no disk. */
  constructor(parents: readonly string[] = defaultParents(), memoryBacked = sharedMemory) {
    this.#parents = parents;
    this.#memoryBacked = memoryBacked;
    for (const parent of parents) removeLeftovers(parent);
  }

  [Symbol.dispose](): void {
    this.#dropSpare();
    for (const folder of this.#folders.values()) {
      rmSync(folder, { recursive: true, force: true });
      open.delete(folder);
    }
    this.#folders.clear();
  }

  /**
   * Calls `work` with the path of a file that is not there yet, and removes the file however `work` ends: in the next
   * turn of the event loop, for giving back the memory of a large one takes as long as loading it, and what was loaded
   * is waited for.
   */
  async use<Result>(expectedBytes: number, work: (path: string) => Promise<Result>): Promise<Result> {
    const path = join(this.#folder(this.#parentFor(expectedBytes)), newId());
    try {
      return await work(path);
    } finally {
      setImmediate(() => {
        rmSync(path, { force: true });
      });
    }
  }

  /**
   * As `use`, for whoever writes over what the file may hold and cuts it to its new size: in memory, half the time of
   * writing goes into getting the memory, so the file is kept for a while.
   */
  async useAgain<Result>(expectedBytes: number, work: (path: string) => Promise<Result>): Promise<Result> {
    const parent = this.#parentFor(expectedBytes);
    if (parent !== this.#memoryBacked || expectedBytes > largestSpareBytes) return await this.use(expectedBytes, work);
    const path = this.#takeSpare() ?? join(this.#folder(parent), newId());
    try {
      return await work(path);
    } finally {
      this.#keepSpare(path);
    }
  }

  /** `null` where there is none, or others have tidied it away. */
  #takeSpare(): string | null {
    const path = this.#spare?.path ?? null;
    if (this.#spare !== null) clearTimeout(this.#spare.timer);
    this.#spare = null;
    return path !== null && existsSync(path) ? path : null;
  }

  #keepSpare(path: string): void {
    this.#dropSpare();
    const timer = setTimeout(() => {
      this.#dropSpare();
    }, spareMs);
    timer.unref();
    this.#spare = { path, timer };
  }

  #dropSpare(): void {
    if (this.#spare === null) return;
    clearTimeout(this.#spare.timer);
    rmSync(this.#spare.path, { force: true });
    this.#spare = null;
  }

  /** Containers often have 64 MB of memory-backed storage; a state that does not fit goes to the disk. */
  #parentFor(expectedBytes: number): string {
    const roomy = this.#parents.find((parent) => freeBytes(parent) > expectedBytes * 1.25);
    return roomy ?? this.#parents.at(-1) ?? tmpdir();
  }

  #folder(parent: string): string {
    const known = this.#folders.get(parent);
    // Temporary folders are tidied by others too.
    if (known !== undefined && existsSync(known)) return known;
    const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
    open.add(folder);
    this.#folders.set(parent, folder);
    return folder;
  }
}

function defaultParents(): string[] {
  return process.platform === "linux" ? [sharedMemory, tmpdir()] : [tmpdir()];
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

function removeLeftovers(parent: string): void {
  for (const folder of ownFolders(parent)) {
    const pid = Number(namePattern.exec(folder.name)?.[1]);
    const isUsed = pid === process.pid ? open.has(folder.path) : isAlive(pid);
    if (!isUsed) rmSync(folder.path, { recursive: true, force: true });
  }
}

/** Memory-backed storage is everybody's: those of other users are left alone. */
function ownFolders(parent: string): { name: string; path: string }[] {
  try {
    return readdirSync(parent)
      .filter((name) => namePattern.test(name))
      .map((name) => ({ name, path: join(parent, name) }))
      .filter(({ path }) => process.getuid === undefined || statSync(path).uid === process.getuid());
  } catch {
    return [];
  }
}

/** A process of another user answers that it may not be signalled. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (caught) {
    return caught instanceof Error && "code" in caught && caught.code === "EPERM";
  }
}
