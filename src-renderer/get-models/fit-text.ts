import { fitOf, type MachineMemory } from "../../src-main/contract/machine-fit.ts";
import { formatRoughBytes } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

/** Whether so much memory can be had on this machine, in a few words. */
export function fitText(memoryBytes: number, machine: MachineMemory): string {
  switch (fitOf(memoryBytes, machine)) {
    case "now":
      return m.fits_now();
    case "later":
      return m.fits_later({ missing: formatRoughBytes(memoryBytes + machine.reserveBytes - machine.freeBytes) });
    case "never":
      return m.fits_never();
  }
}
