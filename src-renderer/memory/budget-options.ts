/** The sizes of the store that can be chosen. */
import { formatBytes } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

const gigabyte = 1_000_000_000;
const offered = [1, 2, 4, 8, 16, 32, 64].map((gigabytes) => gigabytes * gigabyte);

export interface BudgetOption {
  /** As a select has it; empty: chosen by Reprise. */
  readonly value: string;
  readonly name: string;
}

/** With the one that is set now, where the command line set another. */
export function budgetOptions(current: number | null): readonly BudgetOption[] {
  const sizes = current === null || offered.includes(current) ? offered : [...offered, current].sort((a, b) => a - b);
  return [
    { value: "", name: m.budget_automatic() },
    ...sizes.map((bytes) => ({ value: String(bytes), name: formatBytes(bytes) })),
  ];
}

export function budgetOf(value: string): number | null {
  return value === "" ? null : Number(value);
}
