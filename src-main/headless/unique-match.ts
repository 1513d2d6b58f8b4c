import { RepriseError } from "../contract/errors.ts";

/**
 * The one item whose id is `text` or begins with it. Throws NOT_FOUND where there is none, and INVALID_INPUT with the
 * candidates where there are several.
 */
export function uniqueMatch<Item extends { readonly id: string }>(
  what: "conversation" | "model",
  text: string,
  items: readonly Item[],
): Item {
  const wanted = text.trim().toLowerCase();
  const exact = items.find((item) => item.id === wanted);
  if (exact !== undefined) return exact;
  const matches = wanted === "" ? [] : items.filter((item) => item.id.startsWith(wanted));
  const [match, ...others] = matches;
  if (match === undefined) {
    throw new RepriseError("NOT_FOUND", `There is no ${what} with the id “${text}”.`, { what, id: text });
  }
  if (others.length > 0) {
    const named = matches.slice(0, 5).map((item) => item.id);
    const more = matches.length > named.length ? `, and ${matches.length - named.length} more` : "";
    const sentence = `“${text}” is the start of ${matches.length} ${what} ids (${named.join(", ")}${more}). Type more of it.`;
    throw new RepriseError("INVALID_INPUT", sentence, { reason: "ambiguous" });
  }
  return match;
}
