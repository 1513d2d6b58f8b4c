/**
 * What the engine does when nobody waits for it: saves what was computed, puts opened conversations in place, computes
 * drafts. It owns what of that is under way. All of it comes in small steps between which answers have their turn.
 */
import type { PromptMessage } from "../contract/engine-contract.ts";
import { commonPrefixLength } from "./cache/reusable-tokens.ts";
import { answerRoom, checkRoom } from "./generation/generate-turn.ts";
import { measureParkedBudget } from "./kv/parked-budget.ts";
import type { ModelSession } from "./model-session.ts";
import { stateContextOf } from "./open-kv-cache.ts";
import { Remembered } from "./remembered.ts";
import type { TurnQueue } from "./turn-queue.ts";

export interface IdlePrompt {
  readonly conversationId: string;
  readonly messages: readonly PromptMessage[];
}

/** Nothing has happened for so long: tails are written now. */
const lateMs = 20_000;
/** So many tokens are restored in one step. */
const restoreStepTokens = 1_024;

export class IdleWork implements Disposable {
  readonly #queue: TurnQueue;
  readonly #session: () => ModelSession | null;
  readonly #end = new AbortController();
  #saving: Promise<void> | null = null;
  #warming = new AbortController();
  #drafting = new AbortController();
  #lateTimer: NodeJS.Timeout | null = null;

  /** `session`: the model loaded now. */
  constructor(queue: TurnQueue, session: () => ModelSession | null) {
    this.#queue = queue;
    this.#session = session;
  }

  /** Nothing more is begun. */
  [Symbol.dispose](): void {
    this.#end.abort();
    this.stop();
    if (this.#lateTimer !== null) clearTimeout(this.#lateTimer);
  }

  /** Ends what was asked for by somebody who now asks for something else. */
  stop(): void {
    this.#warming.abort();
    this.#drafting.abort();
  }

  /** Something was computed: it is saved, and written where nothing else happens for a while. */
  save(): void {
    if (this.#end.signal.aborted) return;
    if (this.#saving === null)
      this.#saving = this.#save().finally(() => {
        this.#saving = null;
      });
    if (this.#lateTimer !== null) clearTimeout(this.#lateTimer);
    this.#lateTimer = setTimeout(() => {
      this.#session()?.surroundings.store.writeLate();
    }, lateMs);
    this.#lateTimer.unref();
  }

  /** Returns how many of the prompt's tokens are in place. */
  async warm(prompt: IdlePrompt): Promise<number> {
    this.#warming.abort();
    this.#warming = new AbortController();
    const { signal } = this.#warming;
    const tokens = await this.#steps(signal, (session) => warmStep(session, prompt));
    this.#session()?.surroundings.store.writeLate();
    return tokens;
  }

  /** Returns how many of the draft's tokens are in place. */
  async prepare(prompt: IdlePrompt, abandoned?: AbortSignal): Promise<number> {
    this.#drafting.abort();
    this.#drafting = new AbortController();
    const signals = [this.#drafting.signal, ...(abandoned === undefined ? [] : [abandoned])];
    const draft = new Remembered((session) => {
      checkRoom(session.measure(prompt.messages), session.contextTokens);
      return session.draftTokens(prompt.messages);
    });
    return await this.#steps(AbortSignal.any(signals), async (session) => {
      return await computeStep(session, prompt, { tokens: draft.of(session), isDraft: true });
    });
  }

  /**
   * Where the template takes thoughts out of an answer, what is in place is no longer what the next prompt begins with:
   * the answer is computed again as it will be written, while nobody waits.
   */
  async restate(prompt: IdlePrompt): Promise<void> {
    this.#drafting.abort();
    this.#drafting = new AbortController();
    const { signal } = this.#drafting;
    await this.#steps(signal, (session) => restateStep(session, prompt));
    this.save();
  }

  async #steps(signal: AbortSignal, step: (session: ModelSession) => Promise<Step>): Promise<number> {
    for (let tokens = 0; ;) {
      const turn = await this.#queue.runIdle(signal, async () => {
        const session = this.#session();
        return session === null ? over : await step(session);
      });
      if (!turn.started) return tokens;
      tokens = turn.result.tokens;
      if (turn.result.isLast) return tokens;
    }
  }

  async #save(): Promise<void> {
    const { signal } = this.#end;
    for (;;) {
      const turn = await this.#queue.runIdle(signal, async () => {
        const session = this.#session();
        if (session === null || (await session.cache.saveStep())) return session !== null;
        await measureParked(session);
        return false;
      });
      if (!turn.started || !turn.result) return;
    }
  }
}

interface Step {
  readonly tokens: number;
  readonly isLast: boolean;
}

const over: Step = { tokens: 0, isLast: true };

async function warmStep(session: ModelSession, { conversationId, messages }: IdlePrompt): Promise<Step> {
  const { cache } = session;
  const prompt = session.prompt(messages).tokens;
  if (prompt.length === 0 || prompt.length > session.contextTokens)
    return { tokens: cache.parts.tiers.residentTokens(prompt), isLast: true };
  const placement = await cache.placeIfRestored({
    kind: "turn",
    conversationId,
    prompt,
    boundaryTokens: session.systemTokens(messages),
    reserveTokens: 0,
    restoreTokens: restoreStepTokens,
  });
  const restored = placement?.restored ?? null;
  if (placement !== null) await cache.settle(placement);
  const isLast = restored === null || restored.to < restored.wanted || restored.to === restored.from;
  return { tokens: cache.parts.tiers.residentTokens(prompt), isLast };
}

async function restateStep(session: ModelSession, prompt: IdlePrompt): Promise<Step> {
  const { cache } = session;
  const { stream } = cache.parts;
  const tokens = session.settledTokens(prompt.messages);
  const { active } = stream;
  const equal = commonPrefixLength(stream.cells.tokens, tokens);
  if (active.conversationId !== prompt.conversationId || equal === stream.cells.length) return over;
  stream.active = { ...active, keptTokens: Math.min(active.keptTokens, equal) };
  return await computeStep(session, prompt, { tokens, isDraft: false });
}

/** Computes the next chunk of a prompt that nobody has sent. */
async function computeStep(
  session: ModelSession,
  { conversationId, messages }: IdlePrompt,
  { tokens: prompt, isDraft }: { readonly tokens: readonly number[]; readonly isDraft: boolean },
): Promise<Step> {
  const { cache } = session;
  const { cells } = cache;
  const inPlace = cache.parts.tiers.residentTokens(prompt);
  const isTooLong = prompt.length + answerRoom(session.contextTokens) > session.contextTokens;
  if (isTooLong || inPlace === prompt.length) return { tokens: inPlace, isLast: true };
  const boundaryTokens = session.systemTokens(messages);
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

/** Once for a loaded model, when somebody has left a branch. */
async function measureParked(session: ModelSession): Promise<void> {
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
