import { measureParkedBudget } from "../kv/parked-budget.ts";
import type { ModelSession } from "../model-session.ts";
import { stateContextOf } from "../open-kv-cache.ts";

/** Once for a loaded model, when somebody has left a branch. `isWanted`: an answer waits, and is not kept waiting. */
export async function measureParked(session: ModelSession, isWanted: () => boolean): Promise<void> {
  const { cache, model, surroundings } = session;
  if (!cache.wantsParkedBudget) return;
  const { counts, cells } = cache.parts.stream;
  session.setThreads(session.watch.lastingThreads);
  const budget = await measureParkedBudget({
    context: { ...stateContextOf(model), computeToken: (...step) => model.context.computeToken(...step) },
    folder: surroundings.folder,
    tokens: cells.tokens.slice(),
    freeCells: counts.free,
    isWanted,
  }).catch(() => {
    // What the steps have left in the cells is not known.
    cache.parts.stream.giveUp();
    return null;
  });
  if (budget !== null) cache.maxParkedCells = budget;
}
