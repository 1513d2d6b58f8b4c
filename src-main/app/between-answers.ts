import type { EngineSession } from "./engine-session.ts";
import type { ModelReference } from "./model-locator.ts";
import type { EngineClient } from "./ports.ts";

/**
 * Runs `use` with a model when nobody is in the way, and from the start again until nobody has come between: see
 * EngineSession.besideAnswers. It sends nobody away. Throws what loading and `use` throw, and the signal's reason.
 */
export async function betweenAnswers<T extends object>(
  session: Pick<EngineSession, "besideAnswers" | "whenOpenFor">,
  model: ModelReference,
  signal: AbortSignal,
  use: (client: EngineClient, signal: AbortSignal) => Promise<T>,
): Promise<T> {
  for (;;) {
    await session.whenOpenFor(model, signal);
    const result = await session.besideAnswers(model, signal, use);
    if (result !== null) return result;
  }
}
