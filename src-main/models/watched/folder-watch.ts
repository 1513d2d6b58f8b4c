/**
 * Tells when models in some folders may have come, gone or changed. Owns the system's watches; where a folder cannot be
 * watched (a network drive, or too many watches), nothing is told of it, and it is up to whoever looks at the list to
 * have it read again.
 */
import { existsSync, watch, type FSWatcher } from "node:fs";
import { extname } from "node:path";

interface Means {
  /** Those that are to be watched, as they are now. */
  readonly folders: () => readonly string[];
  /** Called once things have been quiet for a while, not for every single change. */
  readonly onChanged: () => void;
  /** How long nothing must have changed: a file that is being copied changes all the time. */
  readonly quietMs?: number;
}

const usualQuietMs = 1_000;

export class FolderWatch {
  readonly #means: Means;
  readonly #watches = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | null = null;
  #state: "waiting" | "watching" | "closed" = "waiting";

  constructor(means: Means) {
    this.#means = means;
  }

  /** Somebody looks at the list from now on. */
  begin(): void {
    if (this.#state === "waiting") this.#state = "watching";
    this.update();
  }

  /** The folders may be others now, or may be there again. */
  update(): void {
    if (this.#state !== "watching") return;
    // One that is not there can be "watched" on some systems, and stays silent when it comes.
    const wanted = new Set(this.#means.folders().filter((folder) => existsSync(folder)));
    for (const folder of this.#watches.keys()) if (!wanted.has(folder)) this.#drop(folder);
    for (const folder of wanted) if (!this.#watches.has(folder)) this.#add(folder);
  }

  close(): void {
    this.#state = "closed";
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const folder of this.#watches.keys()) this.#drop(folder);
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, { recursive: true, persistent: false }, (_event, name) => {
        if (mayHoldModels(name)) this.#changed();
      });
      watcher.on("error", () => {
        this.#drop(folder);
      });
      this.#watches.set(folder, watcher);
    } catch {
      // It cannot be watched.
    }
  }

  #drop(folder: string): void {
    this.#watches.get(folder)?.close();
    this.#watches.delete(folder);
  }

  #changed(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const { quietMs = usualQuietMs, onChanged } = this.#means;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      onChanged();
    }, quietMs).unref();
  }
}

/** A model file, or what may be a folder with some: not the parts of a download, which change all the time. */
function mayHoldModels(name: string | null): boolean {
  const extension = extname(name ?? "").toLowerCase();
  return extension === ".gguf" || extension === "";
}
