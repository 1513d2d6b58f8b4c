import { formatPercent, formatWholeDuration } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";
import type { PillState } from "./pill-state.ts";

export function pillText(state: PillState): string {
  switch (state.name) {
    case "unknown":
      return m.pill_unknown();
    case "fetching":
      return fetchingText(state.fraction, state.secondsLeft);
    case "verifying":
      return m.pill_verifying();
    case "fetch-failed":
    case "no-model":
      return m.pill_no_model();
    case "loading":
      return loadingText(state.modelName, state.fraction);
    case "engine-failed":
    case "problem":
    case "ready":
    case "idle":
      return state.modelName;
  }
}

/** Once the file is loaded, its speed on this computer is measured, which tells no progress. */
export function loadingText(model: string, fraction: number): string {
  if (fraction >= 1) return m.preparing_model({ model });
  return m.loading_model({ model, percent: formatPercent(fraction) });
}

/** `secondsLeft`: `null` until there is a rate to tell it from. */
export function fetchingText(fraction: number, secondsLeft: number | null): string {
  const percent = formatPercent(fraction);
  if (secondsLeft === null) return m.pill_fetching({ percent });
  return m.pill_fetching_left({ percent, left: formatWholeDuration(secondsLeft * 1_000) });
}
