import { measureParkedBudget } from "../kv/parked-budget.ts";
import type { ModelSession } from "../model-session.ts";
import { stateContextOf } from "../open-kv-cache.ts";

/** Once for a loaded model, when somebody has left a branch. */
export async function measureParked(session: ModelSession): Promise<void> {
  const { cache, model, surroundings } = session;
  if (!cache.wantsParkedBudget) return;
  const { counts, cells } = cache.parts.stream;
  session.setThreads(session.watch.threads);
  const budget = await measureParkedBudget({
    context: { ...stateContextOf(model), computeToken: (...step) => model.context.computeToken(...step) },
    folder: surroundings.folder,
    tokens: cells.tokens.slice(),
    freeCells: counts.free,
  }).catch(() => {
    // What the steps have left in the cells is not known.
    cache.parts.stream.giveUp();
    return null;
  });
  if (budget !== null) cache.maxParkedCells = budget;
}
