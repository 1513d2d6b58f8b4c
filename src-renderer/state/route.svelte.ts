/** Which conversation is open, as the address says it (`#/c/ID`), so that reload, back and forward keep working. */
export class Route {
  #conversationId = $state.raw<string | null>(null);
  readonly #page: Window;

  constructor(page: Window) {
    this.#page = page;
    this.#conversationId = readConversationId(page.location.hash);
    page.addEventListener("hashchange", this.#onChange);
    page.addEventListener("popstate", this.#onChange);
  }

  /** `null`: a conversation that is not begun yet. */
  get conversationId(): string | null {
    return this.#conversationId;
  }

  /** `replace`: without a step in the history. */
  open(conversationId: string | null, replace = false): void {
    if (conversationId === this.#conversationId) return;
    const address = conversationId === null ? "#/" : conversationPath(conversationId);
    if (replace) this.#page.history.replaceState(null, "", address);
    else this.#page.history.pushState(null, "", address);
    this.#conversationId = conversationId;
  }

  close(): void {
    this.#page.removeEventListener("hashchange", this.#onChange);
    this.#page.removeEventListener("popstate", this.#onChange);
  }

  readonly #onChange = () => {
    this.#conversationId = readConversationId(this.#page.location.hash);
  };
}

export function conversationPath(conversationId: string): string {
  return `#/c/${conversationId}`;
}

function readConversationId(hash: string): string | null {
  return /^#\/c\/([\w-]+)$/.exec(hash)?.[1] ?? null;
}
