/** What is in place goes from one context to the next, which is made only when the cells of the first are free. */
import { statSync } from "node:fs";
import type { StateFolder } from "../llama/state-folder.ts";
import { activeSequence } from "./cell-ledger.ts";
import type { KvCacheParts } from "./kv-cache.ts";
import { snapshotBytes, type StateContext } from "./state-context.ts";

export interface CarryOver {
  readonly parts: Pick<KvCacheParts, "stream" | "tiers" | "saver" | "rule">;
  readonly context: StateContext;
  /** Where the active sequence is meanwhile. */
  readonly folder: StateFolder;
  /** Frees the context and makes another one. Throws where there is none afterwards. */
  readonly replace: () => Promise<void>;
}

/**
 * The active sequence is there again exactly as it was; other branches make way, for the store where it takes them.
 * Returns false where the active sequence could not be saved: then the context is the same, with it in place. Where it
 * cannot be put back nothing is in place, as after what `replace` throws.
 */
export async function carryOver({ parts, context, folder, replace }: CarryOver): Promise<boolean> {
  const { stream, tiers } = parts;
  await releaseParked(parts);
  const holding = stream.active;
  const steps = stream.cells.steps.slice();
  const [active] = tiers.residents;
  if (active === undefined) {
    await replace();
    // Counts the cells of the new context.
    stream.giveUp();
    return true;
  }
  return await folder.use(snapshotBytes(context, active.tokens.length), async (path) => {
    if (!(await succeeds(context.sequences.saveWhole(path)))) return false;
    let isInPlace = false;
    try {
      stream.giveUp();
      await replace();
      stream.giveUp();
      isInPlace = await succeeds(context.sequences.load(path, activeSequence, statSync(path).size));
    } finally {
      if (!isInPlace) tiers.noteGone(active);
    }
    if (isInPlace) {
      stream.cells.replaceFrom(0, active.tokens, steps);
      stream.active = holding;
    }
    stream.bound();
    return true;
  });
}

/** What of a branch is not with the store by now is lost. */
async function releaseParked({ stream, tiers, saver, rule }: CarryOver["parts"]): Promise<void> {
  for (const { sequence, tokens } of tiers.residents.filter((resident) => resident.sequence !== activeSequence)) {
    const isMore = async () => await saver.saveStep(sequence, tokens, stream.holdingOf(sequence));
    while (rule.kind === "anywhere" && (await isMore().catch(() => false)));
    const left = tiers.residents.find((resident) => resident.sequence === sequence);
    if (left !== undefined) tiers.noteGone(left);
    await stream.take({ kind: "release", sequence });
  }
}

async function succeeds(work: Promise<void>): Promise<boolean> {
  return await work.then(
    () => true,
    () => false,
  );
}
