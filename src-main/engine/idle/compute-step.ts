import { fitContext } from "../fit-context.ts";
import { withAnswer } from "../generation/generate-turn.ts";
import type { ModelSession } from "../model-session.ts";
import type { IdlePrompt, IdleStep } from "./idle-step.ts";

/** Computes the next chunk of a prompt that nobody has sent. */
export async function computeStep(
  session: ModelSession,
  { conversationId, messages, tools }: IdlePrompt,
  { tokens: prompt, isDraft }: { readonly tokens: readonly number[]; readonly isDraft: boolean },
): Promise<IdleStep> {
  const { cache } = session;
  const { cells } = cache;
  const inPlace = cache.parts.tiers.residentTokens(prompt);
  const neededTokens = withAnswer(prompt.length, session.contextTokens);
  if (inPlace === prompt.length || neededTokens > (await fitContext(session, neededTokens)))
    return { tokens: inPlace, isLast: true };
  const boundaryTokens = session.prompts.system(messages, tools);
  const placement = await cache.place({
    kind: "turn",
    conversationId,
    prompt,
    boundaryTokens,
    reserveTokens: 0,
    isDraft,
  });
  session.setThreads(session.prefillThreads);
  const from = cells.length;
  const startMs = performance.now();
  const [pause = Infinity] = cache.pausesOf({ tokens: prompt, boundaryTokens, isAnswered: false });
  await cells.extend(prompt.slice(from, Math.min(from + session.chunkTokens, pause)), false);
  cache.parts.measured.notePrefill(from, cells.length, performance.now() - startMs);
  if (cells.length === pause) await cache.saveHere();
  await cache.settle(placement);
  return { tokens: cells.length, isLast: cells.length >= prompt.length };
}
