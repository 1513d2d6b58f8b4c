/** How often two levels say the same. Pure. */
import type { AgreementFigures } from "../contract/agreement.ts";

/** Of 95 %, both sides. */
const z = 1.959963984540054;

/** Two lists of equal length: what each says at every place. */
export function figuresOf(said: readonly number[], reference: readonly number[]): AgreementFigures {
  return figuresFor(said.filter((token, place) => token === reference[place]).length, said.length);
}

export function sumOf(parts: readonly AgreementFigures[]): AgreementFigures {
  const sum = (field: "agreeing" | "tokens") => parts.reduce((total, figures) => total + figures[field], 0);
  return figuresFor(sum("agreeing"), sum("tokens"));
}

/** With Wilson's interval, which also holds where nearly all agree, or few were asked. */
export function figuresFor(agreeing: number, tokens: number): AgreementFigures {
  if (tokens === 0) return { tokens, agreeing, share: null, low: 0, high: 1 };
  const share = agreeing / tokens;
  const weight = 1 + z ** 2 / tokens;
  const centre = (share + z ** 2 / (2 * tokens)) / weight;
  const half = (z / weight) * Math.sqrt((share * (1 - share)) / tokens + z ** 2 / (4 * tokens ** 2));
  const within = (value: number) => Math.min(1, Math.max(0, value));
  // Exactly, where rounding would leave a little above or below it.
  const low = agreeing === 0 ? 0 : within(centre - half);
  const high = agreeing === tokens ? 1 : within(centre + half);
  return { tokens, agreeing, share, low, high };
}
