/**
 * One prompt to two models. Both are brought into memory and answer together where they fit beside each other, else one
 * after the other. Nothing of it is stored before one of the answers is kept. It owns the comparisons of late.
 */
import type { Sampling } from "../contract/conversation.ts";
import type { ComparisonEvent, ComparisonInput, KeptAnswer } from "../contract/comparison.ts";
import type { CacheOptions, LoadInput, PromptMessage } from "../contract/engine-contract.ts";
import { errorFromView, RepriseError } from "../contract/errors.ts";
import { newId } from "../contract/id.ts";
import type { LoadOptions } from "../contract/model-settings.ts";
import { Comparison, noted, type ComparedSide } from "./comparison.ts";
import { draftedConversation, type DraftedConversation } from "./drafted-conversation.ts";
import type { EngineSession } from "./engine-session.ts";
import { eventsOf } from "./event-queue.ts";
import { stampFile } from "./file-stamp.ts";
import type { FittingPrompts } from "./fitting-prompts.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { ModelFamilies } from "./model-families.ts";
import type { ModelReference } from "./model-locator.ts";
import type { ModelSpeeds } from "./model-speeds.ts";
import { ownModelAgain } from "./own-model-again.ts";
import { overflowOf } from "./overflow.ts";
import type { EngineClient, Store } from "./ports.ts";
import { promptWithDraft } from "./prompt.ts";

interface Dependencies {
  readonly store: Store;
  readonly session: EngineSession;
  readonly models: ModelChoice;
  readonly families: ModelFamilies;
  readonly prompts: FittingPrompts;
  readonly speeds: ModelSpeeds;
  readonly kept: KeptAnswers;
  readonly cacheOptions: () => CacheOptions;
  readonly loadOptionsOf: (modelId: string) => LoadOptions;
  readonly chatTemplateOf: (modelId: string) => Promise<string | null>;
}

type Tell = (event: ComparisonEvent) => void;

interface Run {
  readonly comparison: Comparison;
  readonly conversation: DraftedConversation;
  readonly sampling: Sampling;
  readonly signal: AbortSignal;
  readonly tell: Tell;
}

/** Whoever looks at more than these has kept what there was to keep. */
const rememberedComparisons = 8;

export class Comparisons {
  readonly #parts: Dependencies;
  readonly #recent = new Map<string, Comparison>();

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /**
   * Ends when both sides have. Aborting ends both at once. Throws NOT_FOUND, ALREADY_GENERATING, INVALID_INPUT for one
   * model twice, and what loading throws; what goes wrong with one side alone is told as its end.
   */
  compare(input: ComparisonInput, signal: AbortSignal): AsyncGenerator<ComparisonEvent, undefined> {
    return eventsOf<ComparisonEvent>(signal, async (tell, abandoned) => {
      const { store, models, families, kept } = this.#parts;
      const { conversationId, modelIds, newConversation } = input;
      kept.assertFree(conversationId);
      if (modelIds[0] === modelIds[1]) throw sameModel(modelIds[0]);
      const conversation = draftedConversation(store, await families.draftWithBeginning(input));
      const references = await Promise.all(modelIds.map((modelId) => models.usable(modelId, abandoned)));
      const comparison = this.#remember(new Comparison(input, conversation.activeLeafId, references));
      tell({ type: "began", comparisonId: comparison.id });
      const stored = store.conversations.find(conversationId)?.sampling;
      const chosen = stored ?? newConversation?.sampling;
      const sampling = chosen ?? (await families.beginning(conversation.modelId)).sampling;
      // Both draw the same numbers.
      const seeded = { ...sampling, seed: sampling.seed ?? randomSeed() };
      const ending = AbortSignal.any([abandoned, comparison.stopSignal]);
      const run = { comparison, conversation, sampling: seeded, signal: abandoned, tell };
      try {
        await this.#answer(run, ending);
      } catch (caught) {
        // Stopped before anything was asked: there is nothing to tell.
        if (!comparison.stopSignal.aborted) throw caught;
      } finally {
        ownModelAgain(this.#parts.session, models.chosen(conversation.modelId));
      }
    });
  }

  /** Both answers end between two tokens. One that is over, or never was, is no error. */
  stop(comparisonId: string): void {
    this.#recent.get(comparisonId)?.stop();
  }

  /** Throws NOT_FOUND, ALREADY_GENERATING, INVALID_INPUT where that side wrote nothing, STORAGE_FAILED. */
  keep(comparisonId: string, side: number): KeptAnswer {
    const comparison = this.#recent.get(comparisonId);
    if (comparison === undefined) {
      const sentence = "This comparison is over, and its answers are gone. Nothing was changed; compare again.";
      throw new RepriseError("NOT_FOUND", sentence, { what: "generation", id: comparisonId });
    }
    const answer = this.#parts.kept.keep(comparison, side);
    this.#recent.delete(comparisonId);
    return answer;
  }

  async #answer(run: Run, ending: AbortSignal): Promise<void> {
    const { session } = this.#parts;
    const { comparison, conversation, tell } = run;
    const own = this.#parts.models.chosen(conversation.modelId)?.path;
    // The conversation's own model is the active one afterwards.
    const [first, second] = comparison.sides.toSorted(
      (one, other) => Number(other.model.path === own) - Number(one.model.path === own),
    );
    if (first === undefined || second === undefined) return;
    for (const { side, model } of [second, first]) {
      if (session.residents.has(model.path)) continue;
      tell({ type: "loading", side });
      await session.withModel(model, ending, () => Promise.resolve(), "untried");
    }
    const isTogether = session.residents.has(first.model.path) && session.residents.has(second.model.path);
    tell({ type: "plan", isTogether });
    for (const sides of isTogether ? [[first, second]] : [[first], [second]]) {
      const [leading] = sides;
      if (leading === undefined || comparison.stopSignal.aborted) return;
      if (!session.residents.has(leading.model.path)) tell({ type: "loading", side: leading.side });
      const ask = (client: EngineClient) => this.#ask(client, sides, run);
      await session.withModel(leading.model, ending, ask, isTogether ? "untried" : "tried");
    }
  }

  async #ask(client: EngineClient, sides: readonly ComparedSide[], run: Run): Promise<void> {
    const { store, prompts } = this.#parts;
    const { comparison, conversation } = run;
    const whole = promptWithDraft(store.messages, conversation, comparison.input.text);
    await prompts.attempt(conversation, whole, "look", (messages) => this.#stream(client, sides, messages, run));
  }

  async #stream(
    client: EngineClient,
    sides: readonly ComparedSide[],
    messages: PromptMessage[],
    { comparison, conversation, sampling, signal, tell }: Run,
  ): Promise<void> {
    // Of their own each time: an answer that was given up may still be ending.
    const asked = await Promise.all(
      sides.map(async ({ model }) => ({ generationId: newId(), load: await this.#loadInput(model) })),
    );
    const stop = () => {
      for (const { generationId } of asked) client.stop({ generationId }).catch(() => undefined);
    };
    comparison.stopSignal.addEventListener("abort", stop, { once: true });
    try {
      const input = { conversationId: conversation.id, messages, sampling, sides: asked };
      for await (const event of await client.compare(input, { signal })) {
        // With less of the conversation it may fit: it is asked again.
        const tooLong = event.type === "failed" ? errorFromView(event.error) : null;
        if (tooLong !== null && overflowOf(tooLong) !== null && sides.every(({ text }) => text === "")) throw tooLong;
        const told = noted(sides, event);
        if (told !== null) tell(told);
      }
    } finally {
      comparison.stopSignal.removeEventListener("abort", stop);
    }
  }

  async #loadInput({ id, path }: ModelReference): Promise<LoadInput> {
    const { speeds, cacheOptions, loadOptionsOf, chatTemplateOf } = this.#parts;
    const tuning = speeds.tuning(await stampFile(path));
    const chatTemplate = await chatTemplateOf(id);
    return { path, options: loadOptionsOf(id), chatTemplate, tuning, ...cacheOptions() };
  }

  #remember(comparison: Comparison): Comparison {
    this.#recent.set(comparison.id, comparison);
    const [oldest] = this.#recent.keys();
    if (this.#recent.size > rememberedComparisons && oldest !== undefined) this.#recent.delete(oldest);
    return comparison;
  }
}

function sameModel(modelId: string): RepriseError<"INVALID_INPUT"> {
  const sentence = "A model cannot be compared with itself. Choose two different ones.";
  return new RepriseError("INVALID_INPUT", sentence, { reason: `${modelId} was asked for twice` });
}

function randomSeed(): number {
  return crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
}
