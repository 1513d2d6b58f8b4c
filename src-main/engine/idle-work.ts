/**
 * What the engine does when nobody waits for it: saves what was computed, puts opened conversations in place, computes
 * drafts. It owns what of that is under way. All of it comes in small steps between which answers have their turn.
 */
import { conversationTokens } from "./conversation-tokens.ts";
import { checkRoom } from "./generation/generate-turn.ts";
import { computeStep } from "./idle/compute-step.ts";
import { nothingToDo, type IdleOutcome, type IdlePrompt, type IdleStep } from "./idle/idle-step.ts";
import { measureParked } from "./idle/measure-parked.ts";
import { refillStep } from "./idle/refill-step.ts";
import { restateStep } from "./idle/restate-step.ts";
import { warmStep } from "./idle/warm-step.ts";
import type { ModelSession } from "./model-session.ts";
import { Remembered } from "./remembered.ts";
import type { TurnQueue } from "./turn-queue.ts";

/** How many of all tokens of a conversation are in place. */
export type RefillListener = (doneTokens: number, totalTokens: number) => void;

/** Nothing has happened for so long: tails are written now. */
const lateMs = 20_000;

export class IdleWork implements Disposable {
  readonly #queue: TurnQueue;
  readonly #session: () => ModelSession | null;
  readonly #relieve: () => Promise<void>;
  readonly #end = new AbortController();
  #saving: Promise<void> | null = null;
  #warming = new AbortController();
  #drafting = new AbortController();
  #refilling = new AbortController();
  #lateTimer: NodeJS.Timeout | null = null;

  /** `session`: the active model. `relieve`: frees memory where it is short. */
  constructor(
    queue: TurnQueue,
    session: () => ModelSession | null,
    relieve: () => Promise<void> = () => Promise.resolve(),
  ) {
    this.#queue = queue;
    this.#session = session;
    this.#relieve = relieve;
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
    this.#refilling.abort();
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

  /** Throws CONTEXT_FULL for a prompt that would not be answered. */
  async warm(prompt: IdlePrompt): Promise<IdleOutcome> {
    this.#warming.abort();
    this.#warming = new AbortController();
    const { signal } = this.#warming;
    const tokens = new Remembered((session) => session.prompts.coming(prompt.messages));
    const outcome = await this.#steps(signal, (session) => warmStep(session, prompt, tokens.of(session)));
    this.#session()?.surroundings.store.writeLate();
    return outcome;
  }

  /** Throws CONTEXT_FULL for a prompt that would not be answered. */
  async prepare(prompt: IdlePrompt, abandoned?: AbortSignal): Promise<IdleOutcome> {
    this.#drafting.abort();
    this.#drafting = new AbortController();
    const signals = [this.#drafting.signal, ...(abandoned === undefined ? [] : [abandoned])];
    const draft = new Remembered((session) => {
      checkRoom(session.prompts.probe(prompt.messages).length, session.limitTokens);
      return session.prompts.draft(prompt.messages);
    });
    await this.#session()?.model.room.refresh();
    return await this.#steps(AbortSignal.any(signals), async (session) => {
      return await computeStep(session, prompt, { tokens: draft.of(session), isDraft: true });
    });
  }

  /** Throws CONTEXT_FULL for a conversation that would not be answered. */
  async refill(prompt: IdlePrompt, onStep: RefillListener, abandoned: AbortSignal): Promise<IdleOutcome> {
    this.#refilling.abort();
    this.#refilling = new AbortController();
    const signal = AbortSignal.any([this.#refilling.signal, abandoned]);
    const wanted = new Remembered((session) => conversationTokens(session.prompts, prompt.messages));
    const outcome = await this.#steps(signal, async (session) => {
      const tokens = wanted.of(session);
      const step = await refillStep(session, prompt, tokens);
      onStep(step.tokens, tokens.length);
      return step;
    });
    this.save();
    return outcome;
  }

  /**
   * Where the template takes thoughts out of an answer, what is in place is no longer what the next prompt begins with:
   * the answer is computed again as it will be written, while nobody waits.
   */
  async restate(prompt: IdlePrompt): Promise<void> {
    this.#drafting.abort();
    this.#drafting = new AbortController();
    const { signal } = this.#drafting;
    const settled = new Remembered((session) => session.prompts.settled(prompt.messages, prompt.tools));
    await this.#steps(signal, (session) => restateStep(session, prompt, settled.of(session)));
    this.save();
  }

  async #steps(signal: AbortSignal, step: (session: ModelSession) => Promise<IdleStep>): Promise<IdleOutcome> {
    let begun: ModelSession | null = null;
    for (let tokens = 0; ;) {
      const turn = await this.#queue.runIdle(signal, async () => {
        const session = this.#session();
        begun ??= session;
        // What was begun for one model is not for the next.
        if (session !== begun) return null;
        return session === null ? nothingToDo : await step(session);
      });
      if (!turn.started || turn.result === null) return { tokens, isInterrupted: true };
      tokens = turn.result.tokens;
      if (turn.result.isLast) return { tokens, isInterrupted: false };
    }
  }

  async #save(): Promise<void> {
    const { signal } = this.#end;
    for (;;) {
      const turn = await this.#queue.runIdle(signal, async () => {
        const session = this.#session();
        session?.surroundings.store.prompts.flush();
        if (session === null || (await session.cache.saveStep())) return session !== null;
        await measureParked(session, () => this.#queue.isWanted);
        await this.#relieve();
        return false;
      });
      if (!turn.started || !turn.result) return;
    }
  }
}
