import { getLocale } from "../paraglide/runtime.js";

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = getLocale() + JSON.stringify(options);
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(getLocale(), options);
  formatters.set(key, made);
  return made;
}

/** `29 November 2026 at 14:03`. `time`: milliseconds since 1970. */
export function formatMoment(time: number): string {
  return formatter({ dateStyle: "long", timeStyle: "short" }).format(time);
}

/** `29/11/2026, 14:03`, where there is little room. */
export function formatShortMoment(time: number): string {
  return formatter({ dateStyle: "short", timeStyle: "short" }).format(time);
}

/** `November 2026` */
export function formatMonth(time: number): string {
  return formatter({ month: "long", year: "numeric" }).format(time);
}
