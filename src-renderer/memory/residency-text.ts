import type { Residency } from "../../src-main/contract/cache.ts";
import { formatCount } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

export function residencyName(state: Residency["state"]): string {
  switch (state) {
    case "in-place":
      return m.in_place();
    case "stored":
      return m.stored();
  }
}

/** For those who hear the list: where the conversation is, with how many of its tokens. `null`: in neither place. */
export function residencyText(residency: Residency | null, isWarming: boolean): string {
  if (isWarming && residency?.state !== "in-place") return m.warming();
  if (residency === null) return m.cold();
  const tokens = formatCount(residency.tokens);
  return residency.state === "in-place" ? m.in_place_tokens({ tokens }) : m.stored_tokens({ tokens });
}
