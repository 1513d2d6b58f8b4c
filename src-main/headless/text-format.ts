/** How figures and foreign text are written on the command line. */
import type { TurnReport } from "../contract/turn-report.ts";

const dateTime = new Intl.DateTimeFormat("sv-SE", { dateStyle: "short", timeStyle: "short" });

/** `2026-11-29 17:04`, in local time. */
export function formatTime(milliseconds: number): string {
  return dateTime.format(milliseconds);
}

/** Decimal megabytes or gigabytes, as file managers count. */
export function formatSize(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}

/** `12 tokens, 33.1 tokens/s, first token after 0.21 s, reused 90 of 120 (40 from the store)`: what was measured of it. */
export function formatReport(report: TurnReport): string {
  const { outputTokens, decodeTokensPerSecond, ttftMs } = report;
  return [
    outputTokens === 1 ? "1 token" : `${outputTokens} tokens`,
    ...(decodeTokensPerSecond === null ? [] : [`${decodeTokensPerSecond.toFixed(1)} tokens/s`]),
    ...(ttftMs === null ? [] : [`first token after ${(ttftMs / 1_000).toFixed(2)} s`]),
    ...switchParts(report),
    ...reuseParts(report),
  ].join(", ");
}

function switchParts({ divergence, model }: TurnReport): string[] {
  if (divergence?.kind !== "model-switched" || model === null) return [];
  const name = oneLine(model.name);
  return [`switched to ${model.level === null ? name : `${name} ${model.level}`}`];
}

/** What of the prompt had not to be computed. */
function reuseParts({ promptTokens, fromResident, fromStore, fromShared }: TurnReport): string[] {
  const reused = fromResident + fromStore + fromShared;
  if (reused === 0) return [];
  const origins = [
    ...(fromStore === 0 ? [] : [`${fromStore} from the store`]),
    ...(fromShared === 0 ? [] : [`${fromShared} shared`]),
  ];
  return [`reused ${reused} of ${promptTokens}${origins.length === 0 ? "" : ` (${origins.join(", ")})`}`];
}

/** What a model wrote must not steer the terminal: everything but line breaks and tabs of the control characters goes. */
export function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{Cc}\t\n]/gu, "");
}

/** Any text as one line. */
export function oneLine(text: string): string {
  return withoutControls(text.replaceAll(/\s+/g, " ")).trim();
}
