import type { Sampling } from "../contract/conversation.ts";
import type { GenerateInput } from "../contract/engine-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import type { MemoryReport } from "../contract/turn-report.ts";
import { commonPrefixLength } from "./cache/reusable-tokens.ts";
import { fitContext } from "./fit-context.ts";
import type { TurnExplanation, TurnModel, TurnOutcome, TurnPrompt, TurnSampler } from "./generation/generate-turn.ts";
import { contentHash } from "./generation/message-spans.ts";
import { hasThoughts } from "./generation/thoughts.ts";
import type { Prompt } from "./generation/prompt-tokens.ts";
import type { ActiveCells } from "./kv/active-cells.ts";
import { allLosses } from "./kv/all-losses.ts";
import { branchOrigins } from "./kv/branch-origins.ts";
import { explainDivergence, explainShortfall, type TurnFacts } from "./kv/explain-turn.ts";
import type { PlacementRequest } from "./kv/plan-prompt.ts";
import type { Placement } from "./kv/placement.ts";
import { withAnswer, type PromptRecord } from "./kv/prompt-record.ts";
import { prefillMs } from "./kv/reuse-costs.ts";
import { staleTokens } from "./kv/stale-tokens.ts";
import { jobsAreOrdered } from "./llama/native.ts";
import type { Vocabulary } from "./llama/vocabulary.ts";
import type { ModelSession } from "./model-session.ts";
import { recordOfPrompt } from "./record-of-prompt.ts";
import { reportedModel } from "./resident-model.ts";
import type { SessionPrompts } from "./session-prompts.ts";
import type { DecodeWatch } from "./tuning/decode-watch.ts";

type TurnInput = Pick<GenerateInput, "kind" | "conversationId" | "messages" | "tools" | "droppedMessages">;

/** Throws TEMPLATE_FAILED. */
export function beginTurn(session: ModelSession, input: TurnInput): SessionTurn {
  return new SessionTurn(session, input, session.prompts.build(input.messages, input.tools));
}

/** One turn of a loaded model. It owns what is to be told of the turn and remembered for the next one. */
export class SessionTurn implements TurnModel {
  readonly prompt: TurnPrompt;
  readonly isOrdered = jobsAreOrdered;
  readonly #session: ModelSession;
  readonly #prompts: SessionPrompts;
  readonly #input: TurnInput;
  readonly #built: Prompt;

  constructor(session: ModelSession, input: TurnInput, built: Prompt) {
    const { kind, conversationId, messages, tools } = input;
    this.#session = session;
    this.#prompts = session.prompts;
    this.#input = input;
    this.#built = built;
    const boundaryTokens = session.prompts.system(messages, tools);
    this.prompt = { kind, conversationId, tokens: built.tokens, boundaryTokens };
  }

  get cells(): ActiveCells {
    return this.#session.cache.cells;
  }

  get tokenizer(): Vocabulary {
    return this.#session.tokenizer;
  }

  get contextTokens(): number {
    return this.#session.contextTokens;
  }

  get limitTokens(): number {
    return this.#session.limitTokens;
  }

  get chunkTokens(): number {
    return this.#session.chunkTokens;
  }

  get watch(): DecodeWatch {
    return this.#session.watch;
  }

  get prefillThreads(): number {
    return this.#session.prefillThreads;
  }

  get templateStops(): readonly string[] {
    return this.#prompts.template.stopStrings;
  }

  setThreads(threads: number): void {
    this.#session.setThreads(threads);
  }

  isEndOfGeneration(token: number): boolean {
    return this.tokenizer.isEndOfGeneration(token);
  }

  sampler(sampling: Sampling, seed: number, prompt: readonly number[]): TurnSampler {
    return this.#session.sampler(sampling, seed, prompt);
  }

  memory(turn: { readonly addedTokens: number; readonly conversationId: string }): MemoryReport {
    return this.#session.memory(turn);
  }

  async fit(tokens: number): Promise<number> {
    return await fitContext(this.#session, tokens);
  }

  /** Of a side prompt's answer not: what it displaced is parked, and would not come along. */
  async grow(): Promise<boolean> {
    const { length } = this.cells;
    if (this.#input.kind === "side" || (await this.fit(length + 1)) <= length) return false;
    if (this.cells.length === length) return this.contextTokens > length;
    const sentence =
      "The answer could not be taken to a larger context. What there is of it was kept; send again to go on.";
    throw new RepriseError("ENGINE_FAILED", sentence, { reason: "a saved state could not be loaded" });
  }

  async place(request: PlacementRequest): Promise<Placement> {
    return await this.#session.cache.place(request);
  }

  get pauses(): readonly number[] {
    const { kind, tokens, boundaryTokens } = this.prompt;
    return kind === "side" ? [] : this.#session.cache.pausesOf({ tokens, boundaryTokens, isAnswered: true });
  }

  async saveHere(): Promise<void> {
    await this.#session.cache.saveHere();
  }

  noteChunk(from: number, to: number, elapsedMs: number): void {
    this.#session.cache.parts.measured.notePrefill(from, to, elapsedMs);
  }

  async settle(placement: Placement): Promise<void> {
    await this.#session.cache.settle(placement);
  }

  explain(outcome: TurnOutcome): TurnExplanation {
    const { cache, surroundings } = this.#session;
    const { placement } = outcome;
    const isMeasured = cache.parts.measured.knowsPrefill;
    const savedMs = isMeasured ? prefillMs(cache.costs, 0, placement.reusedTokens) : null;
    const model = reportedModel(this.#session);
    if (this.#input.kind === "side") return { model, origins: placement, savedMs, divergence: null, shortfall: null };
    const facts = this.#facts(outcome);
    const earlier = surroundings.history.remembered(this.#input.conversationId);
    const explained = {
      model,
      origins: branchOrigins(placement, earlier, facts.record),
      savedMs,
      divergence: explainDivergence(facts),
      shortfall: explainShortfall(facts),
    };
    this.#remember(facts.record, outcome);
    return explained;
  }

  #facts({ placement, prefilled }: TurnOutcome): TurnFacts {
    const { cache, surroundings } = this.#session;
    const { messages, conversationId } = this.#input;
    const { rule, chains, store } = cache.parts;
    const { tokens, boundaryTokens } = this.prompt;
    return {
      conversationId,
      record: recordOfPrompt(this.#session, this.#prompts.template, this.#built, this.#input),
      hasAnswers: messages.some(({ role }) => role === "assistant"),
      history: surroundings.history,
      placement,
      computed: { tokens: prefilled.computed, elapsedMs: prefilled.elapsedMs },
      rule,
      losses: allLosses(chains.losses, store.lostBlocks, { fingerprint: chains.fingerprint, boundaryTokens }),
      boundaryTokens,
      switchedOffTokens: store.isEnabled ? 0 : chains.longest(tokens),
      staleTokens: staleTokens(tokens, cache.parts.fingerprintParts, store),
      textOf: (tokens) => this.tokenizer.textOf(tokens),
    };
  }

  /** What a stop string cut off was computed too, but is no part of the answer. */
  #remember(record: PromptRecord, { answer, placement }: TurnOutcome): void {
    const { history } = this.#session.surroundings;
    const { tokens } = this.cells;
    const behind = tokens.slice(record.tokens.length);
    const kept = behind.slice(0, commonPrefixLength(behind, answer.tokens));
    const answered =
      answer.text === ""
        ? record
        : withAnswer(record, {
            tokens: kept,
            contentHash: contentHash(answer.text),
            hasThoughts: hasThoughts(answer.text),
          });
    const { reusedTokens, preparedTokens, restored } = placement;
    // A draft was computed for this message too.
    const from = restored === null ? reusedTokens - preparedTokens : reusedTokens;
    const computed = { from, to: Math.min(tokens.length, answered.tokens.length) };
    history.add(this.#input.conversationId, answered, computed);
  }
}
