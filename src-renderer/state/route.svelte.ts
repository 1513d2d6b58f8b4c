/**
 * Which conversation is open and which screen shows, as the address says it (`#/c/ID`, `#/c/ID/memory`, `#/models`), so
 * that reload, back and forward keep working.
 */
interface Place {
  /** `null`: a conversation that is not begun yet. */
  readonly conversationId: string | null;
  readonly screen: Screen;
}

/** Each but the chat is a word of the address. `models` and `get-models` are the two sides of one screen. */
const otherScreens = ["memory", "models", "get-models"] as const;
export type OtherScreen = (typeof otherScreens)[number];
export type Screen = "chat" | OtherScreen;

const placePattern = new RegExp(`^#(?:/c/([\\w-]+))?(?:/(${otherScreens.join("|")}))?$`);

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

  get screen(): Screen {
    return this.#place.screen;
  }

  /** Shows the chat. `replace`: without a step in the history. */
  open(conversationId: string | null, replace = false): void {
    this.#go({ conversationId, screen: "chat" }, replace);
  }

  /** The open conversation stays open behind it. */
  show(screen: OtherScreen): void {
    this.#go({ ...this.#place, screen }, false);
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

/** The address of another screen, with the conversation that is open behind it. */
export function screenPath(conversationId: string | null, screen: OtherScreen): string {
  return `${conversationId === null ? "#" : conversationPath(conversationId)}/${screen}`;
}

function addressOf({ conversationId, screen }: Place): string {
  if (screen !== "chat") return screenPath(conversationId, screen);
  return conversationId === null ? "#/" : conversationPath(conversationId);
}

function readPlace(hash: string): Place {
  const [, conversationId = null, word] = placePattern.exec(hash) ?? [];
  return { conversationId, screen: otherScreens.find((screen) => screen === word) ?? "chat" };
}
