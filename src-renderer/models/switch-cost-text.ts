/** What going on with another model would take, in words. */
import type { SwitchCost } from "../../src-main/contract/model-switch.ts";
import { formatBytes, formatCount, formatDuration } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

/** `active`: the model that answers now, `null` where none does. `nameOf`: of a model, by its id. */
interface Names {
  readonly active: string | null;
  readonly nameOf: (modelId: string) => string;
}

/** `Reads 98 MB, computes 412 tokens again, about 2.1 s; Q4_1 stays in memory.` */
export function switchCostText(cost: SwitchCost, { active, nameOf }: Names): string {
  const work = workParts(cost).join(", ");
  const memory = [...roomParts(cost, nameOf), ...stayParts(cost, active)].join(", ");
  const sentence = [work, memory].filter((part) => part !== "").join("; ");
  return `${sentence.charAt(0).toLocaleUpperCase()}${sentence.slice(1)}.`;
}

function workParts(cost: SwitchCost): readonly string[] {
  const { computeTokens, computeMs, loadMs } = cost;
  const reused = Math.max(cost.residentTokens, cost.storedTokens);
  if (cost.isResident && computeTokens === 0) return [atOnce(cost, reused)];
  const parts = cost.isResident ? [m.switch_loaded()] : [m.switch_reads({ bytes: formatBytes(cost.loadBytes) })];
  if (computeTokens === null) return [...parts, m.switch_computes_unknown()];
  if (computeTokens === 0) {
    if (reused > 0) parts.push(m.switch_rest_stored());
    return loadMs === null ? parts : [...parts, m.switch_about({ time: formatDuration(loadMs) })];
  }
  if (reused > 0) parts.push(m.switch_reuses({ tokens: formatCount(reused) }));
  const tokens = formatCount(computeTokens);
  parts.push(computeTokens === 1 ? m.switch_computes_one() : m.switch_computes({ tokens }));
  if (computeMs === null) return parts;
  if (loadMs !== null) return [...parts, m.switch_about({ time: formatDuration(loadMs + computeMs) })];
  return [...parts, m.switch_about_computing({ time: formatDuration(computeMs) })];
}

function atOnce(cost: SwitchCost, reused: number): string {
  if (reused === 0) return m.switch_at_once();
  return cost.residentTokens >= cost.storedTokens ? m.switch_at_once_in_place() : m.switch_at_once_stored();
}

function roomParts({ isFitting, memoryBytes, closes }: SwitchCost, nameOf: Names["nameOf"]): readonly string[] {
  const parts: string[] = [];
  const models = closes.map(nameOf).join(", ");
  if (closes.length === 1) parts.push(m.switch_makes_way({ model: models }));
  if (closes.length > 1) parts.push(m.switch_make_way({ models }));
  if (isFitting) return parts;
  parts.push(
    memoryBytes === null ? m.switch_does_not_fit() : m.switch_does_not_fit_bytes({ bytes: formatBytes(memoryBytes) }),
  );
  return parts;
}

function stayParts({ isActive, keepsActive }: SwitchCost, active: string | null): readonly string[] {
  return active === null || isActive || !keepsActive ? [] : [m.switch_stays({ model: active })];
}
