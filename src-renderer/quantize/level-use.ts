import { m } from "../paraglide/messages.js";
import type { Level } from "../state/quantizations.svelte.ts";

/** What a level is good for, in a few words. */
export function levelUse({ name, bitsPerWeight, onlyForExperts }: Level): string {
  if (onlyForExperts) return m.level_for_experts();
  if (name === "Q4_K_M") return m.level_recommended();
  if (bitsPerWeight >= 16) return m.level_exact();
  if (bitsPerWeight >= 8) return m.level_indistinguishable();
  if (bitsPerWeight >= 5.3) return m.level_very_close();
  if (bitsPerWeight >= 4.4) return m.level_close();
  if (bitsPerWeight >= 3.4) return m.level_coarser();
  return bitsPerWeight >= 2.5 ? m.level_coarse() : m.level_experiment();
}
