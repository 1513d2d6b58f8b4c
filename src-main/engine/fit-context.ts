import { checkRoom, withAnswer } from "./generation/generate-turn.ts";
import { carryOver } from "./kv/carry-over.ts";
import { ropeFactors } from "./kv/rope-factors.ts";
import { snapshotBytes } from "./kv/state-context.ts";
import { memoryError } from "./llama/load-weights.ts";
import type { ModelSession } from "./model-session.ts";
import { stateContextOf } from "./open-kv-cache.ts";

/**
 * Makes the context larger where it has to hold so many tokens and memory allows it, with the conversation in it and
 * without loading the weights again. Nothing must be computed meanwhile. Returns how many tokens the conversation may
 * have: what the context has where that is enough, else the most that it could have. Throws ENGINE_FAILED where memory
 * is so short that there is no context at all.
 */
export async function fitContext(session: ModelSession, tokens: number): Promise<number> {
  const { context, room } = session.model;
  const before = context.contextTokens;
  if (tokens <= before) return before;
  await room.refresh();
  const planned = room.plan(tokens, before);
  if (planned <= before) return room.largest(before);
  await makeRoom(session, room.missingBytes(planned, before));
  if (!(await growContext(session, planned))) return before;
  if (context.contextTokens < planned) room.noteFailure();
  await room.refresh();
  session.surroundings.onChanged();
  return tokens <= context.contextTokens ? context.contextTokens : room.largest(context.contextTokens);
}

/** The same for a prompt and room for its answer. Throws CONTEXT_FULL where they cannot fit. */
export async function fitPrompt(session: ModelSession, promptTokens: number): Promise<void> {
  checkRoom(promptTokens, await fitContext(session, withAnswer(promptTokens, session.contextTokens)));
}

/** Others that are not in use make way. */
async function makeRoom({ surroundings, model }: ModelSession, bytes: number): Promise<void> {
  if (bytes === 0) return;
  await surroundings.others.makeRoom(bytes);
  await model.room.refresh();
}

/** Returns false where what is in place could not be saved, so that all is as it was. */
async function growContext(session: ModelSession, planned: number): Promise<boolean> {
  const { model, cache, surroundings, description } = session;
  const { context, room, header } = model;
  // Only where there is none any more: a small one would give the same tokens other keys than the store has.
  if (ropeFactors(header, planned) !== cache.parts.fingerprintParts.rope.factors)
    throw memoryError(description.path, new Error(`${planned} tokens are fewer than the model was loaded for`));
  const stateContext = stateContextOf(model);
  const heldBytes = snapshotBytes(stateContext, cache.cells.length);
  const fitsBeside = room.fitsBeside(heldBytes, planned, context.contextTokens);
  return await carryOver({
    parts: cache.parts,
    context: stateContext,
    folder: fitsBeside ? surroundings.folder : surroundings.diskFolder,
    replace: async () => {
      await context.resize(planned);
    },
  });
}
