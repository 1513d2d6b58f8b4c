/** The browser's own storage, which may be full, switched off or hold what an older version wrote. */
export class LocalStore {
  readonly #storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null;

  constructor(storage: Pick<Storage, "getItem" | "setItem" | "removeItem"> | null) {
    this.#storage = storage;
  }

  /** `null` where there is nothing readable. */
  read(key: string): unknown {
    const text = this.#storage?.getItem(key) ?? null;
    if (text === null) return null;
    try {
      return JSON.parse(text);
    } catch {
      return null;
    }
  }

  /** Returns whether it is kept: a full storage is no reason to stop working. */
  write(key: string, value: unknown): boolean {
    try {
      this.#storage?.setItem(key, JSON.stringify(value));
      return this.#storage !== null;
    } catch {
      return false;
    }
  }

  remove(key: string): void {
    this.#storage?.removeItem(key);
  }
}

/** Reading `localStorage` itself throws where the browser forbids it. */
export function browserStore(): LocalStore {
  try {
    return new LocalStore(window.localStorage);
  } catch {
    return new LocalStore(null);
  }
}
