/**
 * Which conversation is open and which screen shows, as the address says it (`#/c/ID`, `#/c/ID/memory`, `#/memory`), so
 * that reload, back and forward keep working.
 */
interface Place {
  /** `null`: a conversation that is not begun yet. */
  readonly conversationId: string | null;
  readonly screen: "chat" | "memory";
}

export class Route {
  #place = $state.raw<Place>({ conversationId: null, screen: "chat" });
  readonly #page: Window;

  constructor(page: Window) {
    this.#page = page;
    this.#place = readPlace(page.location.hash);
    page.addEventListener("hashchange", this.#onChange);
    page.addEventListener("popstate", this.#onChange);
  }

  /** `null`: a conversation that is not begun yet. */
  get conversationId(): string | null {
    return this.#place.conversationId;
  }

  get screen(): Place["screen"] {
    return this.#place.screen;
  }

  /** Shows the chat. `replace`: without a step in the history. */
  open(conversationId: string | null, replace = false): void {
    this.#go({ conversationId, screen: "chat" }, replace);
  }

  /** The open conversation stays open behind it. */
  openMemory(): void {
    this.#go({ ...this.#place, screen: "memory" }, false);
  }

  close(): void {
    this.#page.removeEventListener("hashchange", this.#onChange);
    this.#page.removeEventListener("popstate", this.#onChange);
  }

  #go(place: Place, replace: boolean): void {
    if (place.conversationId === this.#place.conversationId && place.screen === this.#place.screen) return;
    const address = addressOf(place);
    if (replace) this.#page.history.replaceState(null, "", address);
    else this.#page.history.pushState(null, "", address);
    this.#place = place;
  }

  readonly #onChange = () => {
    this.#place = readPlace(this.#page.location.hash);
  };
}

export function conversationPath(conversationId: string): string {
  return `#/c/${conversationId}`;
}

function addressOf({ conversationId, screen }: Place): string {
  const path = conversationId === null ? "#" : conversationPath(conversationId);
  return screen === "memory" ? `${path}/memory` : conversationId === null ? "#/" : path;
}

function readPlace(hash: string): Place {
  const conversationId = /^#\/c\/([\w-]+)(?:\/memory)?$/.exec(hash)?.[1] ?? null;
  return { conversationId, screen: /^#(?:\/c\/[\w-]+)?\/memory$/.test(hash) ? "memory" : "chat" };
}
