/**
 * Reads answers along and says for each of their tokens which one the model would have chosen there: teacher-forced, in
 * a context of its own, so that nothing is touched that is in place or stored. It owns that context and what is in it.
 */
import { commonPrefixLength } from "../cache/reusable-tokens.ts";
import { BlockLoader } from "../kv/block-loader.ts";
import { ropeFactors } from "../kv/rope-factors.ts";
import { memoryError } from "../llama/load-weights.ts";
import type { ModelContext } from "../llama/model-context.ts";
import type { TokenSampler } from "../llama/token-sampler.ts";
import type { ModelSession } from "../model-session.ts";
import { stateContextOf } from "../open-kv-cache.ts";
import { defaultSampling } from "../../contract/conversation.ts";
import type { AnswerToRead } from "./answers-to-read.ts";

/** The logits of a whole vocabulary are kept for each token whose successor is asked for: not too many at once. */
const forcedTokens = 64;
/** A restored beginning must be worth its way through a file. */
const leastRestored = 64;
const contextStep = 256;

const likeliest = { ...defaultSampling, temperature: 0, repeatPenalty: 1, repeatPenaltyTokens: 0 };

export class ForcedReading implements AsyncDisposable {
  readonly #session: ModelSession;
  readonly #context: ModelContext;
  readonly #loader: BlockLoader;
  readonly #sampler: TokenSampler;
  /** What the cells hold. */
  #held: readonly number[] = [];
  #chosen: number[] = [];
  #answer: AnswerToRead | null = null;

  private constructor(session: ModelSession, context: ModelContext) {
    const { store, chains, rule } = session.cache.parts;
    const { folder } = session.surroundings;
    this.#session = session;
    this.#context = context;
    this.#loader = new BlockLoader({ context: stateContextOf({ context }), store, chains, folder, rule });
    this.#sampler = session.model.createSampler(likeliest, 0, []);
  }

  /** `tokens`: of the longest chain. Throws ENGINE_FAILED (memory), or the signal's reason. */
  static async open(session: ModelSession, tokens: number, signal: AbortSignal): Promise<ForcedReading> {
    const { sideContexts, header, room } = session.model;
    const needed = Math.ceil(tokens / contextStep) * contextStep;
    // With other factors the same tokens have other keys, and the model other opinions.
    const isAlike = ropeFactors(header, needed) === session.cache.parts.fingerprintParts.rope.factors;
    const contextTokens = isAlike ? needed : Math.max(needed, session.contextTokens);
    if (contextTokens > (await readableTokens(session)))
      throw memoryError(session.description.path, new Error(`no room for ${contextTokens} tokens beside the chat`));
    await session.surroundings.others.makeRoom(room.missingBytes(contextTokens, 0));
    return new ForcedReading(session, await sideContexts.open(contextTokens, signal));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#sampler[Symbol.dispose]();
    await this.#session.model.sideContexts.close(this.#context);
  }

  /** How far it has come in the chain it reads. */
  get position(): number {
    return this.#held.length;
  }

  /**
   * Computes the next chunk of an answer and its prompt. Returns the likeliest token at each place of the answer when
   * all of it is read, else `null`: then the same answer is to be read on. Nothing else may compute meanwhile.
   */
  async step(answer: AnswerToRead): Promise<readonly number[] | null> {
    if (this.#answer?.message !== answer.message) await this.#begin(answer);
    const { chain, answerStart } = answer;
    const from = this.#held.length;
    // The last token of the prompt tells the first of the answer; that of the answer tells nothing that was asked.
    const isForced = from >= answerStart - 1;
    const to = isForced
      ? Math.min(from + Math.min(forcedTokens, this.#context.chunkTokens), chain.length - 1)
      : Math.min(from + this.#context.chunkTokens, answerStart - 1);
    this.#context.setThreads(this.#session.prefillThreads);
    const chunk = chain.slice(from, to);
    if (isForced) this.#chosen.push(...(await this.#compute(from, chunk)));
    else await this.#context.computeChunk(from, chunk, false);
    this.#held = chain.slice(0, to);
    if (to < chain.length - 1) return null;
    this.#answer = null;
    return this.#chosen;
  }

  async #compute(from: number, chunk: readonly number[]): Promise<number[]> {
    const chosen: number[] = [];
    for (const index of await this.#context.computeEvery(from, chunk))
      chosen.push(await this.#context.sample(index, this.#sampler));
    return chosen;
  }

  async #begin(answer: AnswerToRead): Promise<void> {
    this.#answer = answer;
    this.#chosen = [];
    const beginning = answer.chain.slice(0, answer.answerStart - 1);
    this.#goBack(commonPrefixLength(this.#held, beginning));
    const { tiers } = this.#session.cache.parts;
    const match = tiers.match(beginning);
    if (match === null || match.length < this.#held.length + leastRestored) return;
    const held = await this.#loader.restore(match, this.#held.length, match.length);
    this.#held = beginning.slice(0, held);
  }

  /** To where the cells agree; where a model cannot take them back, to the beginning. */
  #goBack(equal: number): void {
    if (equal === this.#held.length) return;
    const canTruncate = this.#session.cache.parts.rule.kind === "anywhere" && this.#context.truncate(equal);
    if (!canTruncate) this.#context.clear();
    this.#held = canTruncate ? this.#held.slice(0, equal) : [];
  }
}

/** The longest chain that can be read beside what is in place. */
export async function readableTokens({ model }: ModelSession): Promise<number> {
  await model.room.refresh();
  return model.room.largest(0);
}
