import { m } from "../paraglide/messages.js";
import type { Origin } from "./origin-segments.ts";

/** The colour is the same everywhere, and never stands without the name. */
export const originColours: Readonly<Record<Origin, string>> = {
  resident: "bg-origin-resident",
  computed: "bg-origin-computed",
  generated: "bg-origin-generated",
};

export function originName(origin: Origin): string {
  switch (origin) {
    case "resident":
      return m.origin_resident();
    case "computed":
      return m.origin_computed();
    case "generated":
      return m.origin_generated();
  }
}

export function originExplanation(origin: Origin): string {
  switch (origin) {
    case "resident":
      return m.origin_resident_tip();
    case "computed":
      return m.origin_computed_tip();
    case "generated":
      return m.origin_generated_tip();
  }
}
