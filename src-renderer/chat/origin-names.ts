import { m } from "../paraglide/messages.js";
import type { Origin } from "./origin-segments.ts";

/** The colour is the same everywhere, and never stands without the name. */
export const originColours: Readonly<Record<Origin, string>> = {
  shared: "bg-origin-shared",
  resident: "bg-origin-resident",
  store: "bg-origin-store",
  computed: "bg-origin-computed",
  generated: "bg-origin-generated",
};

export function originName(origin: Origin): string {
  switch (origin) {
    case "shared":
      return m.origin_shared();
    case "resident":
      return m.origin_resident();
    case "store":
      return m.origin_store();
    case "computed":
      return m.origin_computed();
    case "generated":
      return m.origin_generated();
  }
}

export function originExplanation(origin: Origin): string {
  switch (origin) {
    case "shared":
      return m.origin_shared_tip();
    case "resident":
      return m.origin_resident_tip();
    case "store":
      return m.origin_store_tip();
    case "computed":
      return m.origin_computed_tip();
    case "generated":
      return m.origin_generated_tip();
  }
}
