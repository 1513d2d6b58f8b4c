import type { ModelSwitch } from "../../src-main/contract/model-switch.ts";
import { formatCount, formatPercent, formatWholeDuration } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

type SwitchPhase = Exclude<ModelSwitch["phase"], { name: "failed" }>;

/** What the switch is doing, and from 0 to 1 how far that is (`null`: nobody knows). `leftMs`: `null` while that is not known. */
export function switchWords(phase: SwitchPhase, leftMs: number | null): { words: string; fraction: number | null } {
  switch (phase.name) {
    case "waiting":
      return { words: m.switching_waits(), fraction: null };
    case "loading":
      // Once the file is loaded, its speed on this computer is measured, which tells no progress.
      if (phase.fraction >= 1) return { words: m.switching_prepares(), fraction: null };
      return { words: m.switching_loads({ percent: formatPercent(phase.fraction) }), fraction: phase.fraction };
    case "prefill":
      return { words: computing(phase, leftMs), fraction: fractionOf(phase) };
  }
}

function computing({ doneTokens, totalTokens }: { doneTokens: number; totalTokens: number }, leftMs: number | null) {
  const counts = { done: formatCount(doneTokens), total: formatCount(totalTokens) };
  if (leftMs === null) return m.switching_computes(counts);
  return m.switching_computes_left({ ...counts, left: formatWholeDuration(leftMs) });
}

function fractionOf({ doneTokens, totalTokens }: { doneTokens: number; totalTokens: number }): number | null {
  return totalTokens === 0 ? null : doneTokens / totalTokens;
}
