import type { LostBlocks, LostPosition } from "./lost-blocks.ts";
import type { KnownLosses } from "./loss-log.ts";

/** What this run has noted, and behind it what the file knows of earlier ones. */
export function allLosses(
  log: KnownLosses,
  lostBlocks: LostBlocks,
  where: Omit<LostPosition, "position">,
): KnownLosses {
  return {
    get hasForgotten() {
      return log.hasForgotten || lostBlocks.hasForgotten;
    },
    lostFrom: (tokens, position) => log.lostFrom(tokens, position),
    reasonAt: (tokens, position) =>
      log.reasonAt(tokens, position) ?? lostBlocks.reasonAt(tokens, { ...where, position }),
  };
}
