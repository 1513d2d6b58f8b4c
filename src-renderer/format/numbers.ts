/** Figures as a reader of the current language writes them. Formatters are kept: making one costs more than using it. */
import { getLocale } from "../paraglide/runtime.js";

const formatters = new Map<string, Intl.NumberFormat>();

function formatter(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = getLocale() + JSON.stringify(options);
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = new Intl.NumberFormat(getLocale(), options);
  formatters.set(key, made);
  return made;
}

/** `12,345` */
export function formatCount(count: number): string {
  return formatter({ maximumFractionDigits: 0 }).format(count);
}

/** A figure with a fixed number of decimals: `32.0`. */
function formatDecimal(value: number, decimals: number): string {
  return formatter({ minimumFractionDigits: decimals, maximumFractionDigits: decimals }).format(value);
}

/** Bits a weight: `4.89`, `16`. */
export function formatBits(bits: number): string {
  return formatter({ maximumFractionDigits: 2 }).format(bits);
}

/** A measured figure of any size, to two digits that count: `0.000021`, `17`. */
export function formatSignificant(value: number): string {
  return formatter({ maximumSignificantDigits: 2 }).format(value);
}

/** A large number in short: `8.03B`, `135M`. */
export function formatCompact(count: number): string {
  return formatter({ notation: "compact", maximumSignificantDigits: 3 }).format(count);
}

/** A fraction from 0 to 1 as `43 %` or `43%`. */
export function formatPercent(fraction: number): string {
  return formatter({ style: "percent", maximumFractionDigits: 0 }).format(fraction);
}

/** A fraction of which tenths of a percent count: `94.2 %` or `94.2%`. */
export function formatShare(fraction: number): string {
  return formatter({ style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }).format(fraction);
}

/** Tokens a second: one decimal below 100, none above. */
export function formatRate(perSecond: number): string {
  return formatDecimal(perSecond, perSecond < 100 ? 1 : 0);
}

/** Seconds without their unit: `0.06`, `2.3`, `14`. */
export function formatSeconds(milliseconds: number): string {
  const seconds = milliseconds / 1000;
  return formatDecimal(seconds, seconds < 1 ? 2 : seconds < 10 ? 1 : 0);
}

/** A duration with its unit, in what suits it best: `0 ms`, `84 ms`, `2.3 s`, `4 min`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10) return withUnit(milliseconds, milliseconds === 0 ? 0 : 1, "ms");
  if (milliseconds < 1_000) return withUnit(milliseconds, 0, "ms");
  if (milliseconds < 60_000) return withUnit(milliseconds / 1_000, milliseconds < 10_000 ? 1 : 0, "s");
  return formatWholeDuration(milliseconds);
}

/** A duration that is only roughly known: `7 s`, `4 min`, `2 h`. */
export function formatWholeDuration(milliseconds: number): string {
  if (milliseconds < 60_000) return withUnit(Math.max(1, milliseconds / 1_000), 0, "s");
  if (milliseconds < 3_600_000) return withUnit(milliseconds / 60_000, 0, "min");
  return withUnit(milliseconds / 3_600_000, 0, "h");
}

const byteUnits = ["B", "kB", "MB", "GB", "TB"] as const;

function byteStep(bytes: number): number {
  return Math.max(0, Math.min(byteUnits.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
}

/** Decimal units, as file managers and shops use them: `98.4 MB`, `2.50 GB`. */
export function formatBytes(bytes: number): string {
  const step = byteStep(bytes);
  const value = bytes / 1_000 ** step;
  return withUnit(value, step === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2, byteUnits[step] ?? "B");
}

/** A size that is only roughly known, to two digits that count: `2.5 GB`, `390 MB`. */
export function formatRoughBytes(bytes: number): string {
  const rounded = Number(bytes.toPrecision(2));
  const step = byteStep(rounded);
  const value = rounded / 1_000 ** step;
  return withUnit(value, value < 10 && step > 0 ? 1 : 0, byteUnits[step] ?? "B");
}

/** Unit symbols are the same in every language; a space that does not break stands before them. */
function withUnit(value: number, decimals: number, symbol: string): string {
  return `${formatDecimal(value, decimals)}\u00a0${symbol}`;
}
