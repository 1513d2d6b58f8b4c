/** What is foreseen of a model of the catalogue, in words. */
import type { CatalogueEntry } from "../../src-main/contract/hub.ts";
import type { Proposal, Proposals } from "../../src-main/contract/proposals.ts";
import { formatBytes, formatCompact, formatRate, formatRoughBytes, formatSignificant } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";
import { getLocale } from "../paraglide/runtime.js";

export function forWhom(entry: CatalogueEntry): string {
  return entry.forWhom[getLocale()];
}

/** `8.03B`; of a mixture of experts with what is active: `30.5B, 3.3B active`. */
export function weightsText({ parameters, activeParameters }: CatalogueEntry): string {
  const all = formatCompact(parameters);
  return activeParameters === undefined ? all : m.weights_active({ all, active: formatCompact(activeParameters) });
}

export function roughBytes(bytes: number): string {
  return m.about({ value: formatRoughBytes(bytes) });
}

/** Tokens a second without the unit. */
export function roughRate(perSecond: number | null): string {
  return perSecond === null ? m.not_measured() : m.about({ value: formatSignificant(perSecond) });
}

/** The same with its unit. */
export function writingSpeed(perSecond: number | null): string {
  return perSecond === null ? m.not_measured() : m.rate({ rate: roughRate(perSecond) });
}

export function reasonText(reason: Proposal["reason"]): string {
  switch (reason) {
    case "strongest":
      return m.proposal_strongest();
    case "balanced":
      return m.proposal_balanced();
    case "quickest":
      return m.proposal_quickest();
  }
}

/** What the speeds are reckoned from. */
export function speedBasis({ measured }: Pick<Proposals, "measured">): string {
  if (measured === null) return m.speed_unknown_yet();
  const rates = {
    model: measured.modelName,
    size: formatBytes(measured.sizeBytes),
    decode: formatRate(measured.decodeTokensPerSecond),
    prefill: formatRate(measured.prefillTokensPerSecond),
  };
  return measured.underLoad ? m.speed_basis_under_load(rates) : m.speed_basis(rates);
}

/** What there is for a model here. */
export function machineText({ machine, diskFreeBytes }: Pick<Proposals, "machine" | "diskFreeBytes">): string {
  const memory = m.machine_memory_free({
    free: formatBytes(machine.freeBytes),
    total: formatBytes(machine.totalBytes),
    reserve: formatBytes(machine.reserveBytes),
  });
  return diskFreeBytes === null ? memory : `${memory} ${m.machine_disk({ free: formatBytes(diskFreeBytes) })}`;
}
