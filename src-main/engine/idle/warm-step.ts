import { fitPrompt } from "../fit-context.ts";
import type { ModelSession } from "../model-session.ts";
import { nothingToDo, type IdlePrompt, type IdleStep } from "./idle-step.ts";

/** So many tokens are restored in one step. */
const restoreStepTokens = 1_024;

/** Restores the next stored tokens of a conversation that was opened. `prompt`: its tokens. */
export async function warmStep(
  session: ModelSession,
  { conversationId, messages }: IdlePrompt,
  prompt: readonly number[],
): Promise<IdleStep> {
  const { cache } = session;
  if (prompt.length === 0) return nothingToDo;
  // What does not fit would be left out again when the next message is sent.
  await fitPrompt(session, prompt.length);
  const placement = await cache.placeIfRestored({
    kind: "turn",
    conversationId,
    prompt,
    boundaryTokens: session.prompts.system(messages),
    reserveTokens: 0,
    restoreTokens: restoreStepTokens,
  });
  const restored = placement?.restored ?? null;
  if (placement !== null) await cache.settle(placement);
  const isLast = restored === null || restored.to < restored.wanted || restored.to === restored.from;
  return { tokens: cache.parts.tiers.residentTokens(prompt), isLast };
}
