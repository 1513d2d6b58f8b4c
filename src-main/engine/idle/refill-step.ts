import type { ModelSession } from "../model-session.ts";
import { computeStep } from "./compute-step.ts";
import type { IdlePrompt, IdleStep } from "./idle-step.ts";
import { warmStep } from "./warm-step.ts";

/** Puts the next tokens of a conversation in place: restores what is stored, then computes. `tokens`: all it should have. */
export async function refillStep(
  session: ModelSession,
  prompt: IdlePrompt,
  tokens: readonly number[],
): Promise<IdleStep> {
  const restored = await warmStep(session, prompt, tokens);
  if (!restored.isLast) return restored;
  return await computeStep(session, prompt, { tokens, isDraft: false });
}
