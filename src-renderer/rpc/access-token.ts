const storageKey = "reprise.token";

/** What of the browser window this needs. */
export interface TokenPlace {
  readonly location: Pick<Location, "hash" | "pathname" | "search">;
  readonly history: Pick<History, "replaceState">;
  readonly sessionStorage: Pick<Storage, "getItem" | "setItem">;
}

/**
 * The token of the loopback server. It arrives in the address (`#token=…`), is kept for this tab and leaves the
 * address bar at once, so that it is not copied along or kept in the history. `null`: this tab was never given one.
 */
export function takeAccessToken(place: TokenPlace): string | null {
  const given = new URLSearchParams(place.location.hash.replace(/^#/, "")).get("token");
  if (given === null || given === "") return place.sessionStorage.getItem(storageKey);
  place.sessionStorage.setItem(storageKey, given);
  place.history.replaceState(null, "", place.location.pathname + place.location.search);
  return given;
}
