import { betweenAnswers } from "./between-answers.ts";
import type { EngineSession } from "./engine-session.ts";
import type { ModelReference } from "./model-locator.ts";

const never = new AbortController().signal;

/**
 * After others were used for a while the conversation's own model is the active one again: the next message is meant
 * for it. In the background, and nobody is told where it fails, since that message then tells.
 */
export function ownModelAgain(session: EngineSession, own: ModelReference | null): void {
  if (own === null || !session.isRunning || session.loadedPath === own.path) return;
  void betweenAnswers(session, own, never, () => Promise.resolve({})).catch(() => undefined);
}
