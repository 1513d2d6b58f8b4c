/**
 * How much two levels of a model agree on a conversation's own answers. Levels are loaded and asked in the background,
 * one after the other, and give way to every answer; what they said is kept with the answers, so that any two of them are
 * compared without asking again, and a longer conversation costs its new answers. It owns who is asked now.
 */
import type { Agreement, AgreementEvent, AgreementInput } from "../contract/agreement.ts";
import type { LoadOptions } from "../contract/model-settings.ts";
import { figuresOf, sumOf } from "./agreement-figures.ts";
import { askedLevel, assertSameModel, type AskedLevel } from "./agreement-levels.ts";
import { agreementQuestions, type AgreementQuestions } from "./agreement-questions.ts";
import { abortable } from "./abortable.ts";
import type { EngineSession } from "./engine-session.ts";
import { eventsOf } from "./event-queue.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { ModelLibrary } from "./model-library.ts";
import { ownModelAgain } from "./own-model-again.ts";
import type { EngineClient, Store } from "./ports.ts";

interface Dependencies {
  readonly store: Store;
  readonly session: EngineSession;
  readonly models: ModelChoice;
  readonly library: ModelLibrary;
  readonly loadOptionsOf: (modelId: string) => LoadOptions;
  readonly chatTemplateOf: (modelId: string) => Promise<string | null>;
}

type Tell = (event: AgreementEvent) => void;
type Progress = Extract<AgreementEvent, { type: "progress" }>;

/** One level, asked about one conversation. */
interface Asking extends AgreementQuestions {
  readonly conversationId: string;
  readonly level: AskedLevel;
  /** Answers it could not be asked about. */
  readonly leftOut: Set<string>;
  readonly tell: (progress: Pick<Progress, "phase"> & Partial<Progress>) => void;
}

const never = new AbortController().signal;

export class Agreements {
  readonly #parts: Dependencies;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** What is known without asking, of all levels but the reference itself. Throws NOT_FOUND, MODEL_MISSING. */
  async known({ conversationId, referenceId }: Omit<AgreementInput, "modelId">): Promise<Agreement[]> {
    const { models, library } = this.#parts;
    const asked = this.#questionsOf(conversationId);
    const reference = await this.#level(await models.usable(referenceId, never));
    const others = library.levelsOf(referenceId).filter(({ id, problem }) => id !== referenceId && problem === null);
    const levels = await Promise.all(others.map((file) => this.#level(file)));
    return levels
      .map((level) => this.#compare(conversationId, asked, { level, reference }))
      .filter(({ total }) => total.tokens > 0);
  }

  /**
   * Asks both levels what is not known yet. Aborting ends it, and what was said until then is kept. Throws NOT_FOUND,
   * INVALID_INPUT for levels of different models, and what loading throws.
   */
  measure(input: AgreementInput, signal: AbortSignal): AsyncGenerator<AgreementEvent, undefined> {
    return eventsOf<AgreementEvent>(signal, async (tell, ending) => {
      const before = this.#last;
      const { promise, resolve } = Promise.withResolvers<undefined>();
      this.#last = Promise.all([before, promise]);
      try {
        await abortable(before, ending);
        tell({ type: "result", agreement: await this.#measure(input, tell, ending) });
      } finally {
        resolve(undefined);
      }
    });
  }

  async #measure(input: AgreementInput, tell: Tell, signal: AbortSignal): Promise<Agreement> {
    const { store, models, session } = this.#parts;
    const { conversationId, modelId, referenceId } = input;
    const { modelId: ownId } = store.conversations.get(conversationId);
    const reference = await this.#level(await models.usable(referenceId, signal));
    const level = await this.#level(await models.usable(modelId, signal));
    assertSameModel(modelId, referenceId, this.#parts);
    const asked = this.#questionsOf(conversationId);
    // What is loaded is asked first.
    const levels = session.loadedPath === level.model.path ? [level, reference] : [reference, level];
    const said = new Map<string, AskedLevel>();
    try {
      for (const [index, each] of levels.entries()) {
        const levelsLeft = levels.length - 1 - index;
        const told = { type: "progress", modelId: each.model.id, doneTokens: 0, totalTokens: 0, levelsLeft } as const;
        const asking = { conversationId, ...asked, level: each, leftOut: new Set<string>() };
        const tellOn: Asking["tell"] = (progress) => {
          tell({ ...told, ...progress });
        };
        said.set(each.key, await this.#ask({ ...asking, tell: tellOn }, signal));
      }
    } finally {
      ownModelAgain(session, models.chosen(ownId));
    }
    const asItIs = (each: AskedLevel) => said.get(each.key) ?? each;
    return this.#compare(conversationId, asked, { level: asItIs(level), reference: asItIs(reference) });
  }

  /**
   * Sends nobody away, and begins again where somebody came between: with the level as it is then, which is returned.
   * Throws NOT_FOUND where the conversation was deleted.
   */
  async #ask(before: Asking, signal: AbortSignal): Promise<AskedLevel> {
    const { session, store } = this.#parts;
    const { model } = before.level;
    for (;;) {
      const known = { ...before, level: await this.#level(model) };
      store.conversations.get(known.conversationId);
      if (this.#missing(known).length === 0) return known.level;
      known.tell({ phase: "waiting" });
      await session.whenOpenFor(model, signal);
      // What it says is kept under how it is loaded: options may have been changed while it waited.
      const asking = { ...before, level: await this.#level(model) };
      asking.tell({ phase: session.loadedPath === model.path ? "reading" : "loading" });
      await session.besideAnswers(model, signal, (client, ending) => this.#read(client, asking, ending));
    }
  }

  async #read(client: EngineClient, asking: Asking, signal: AbortSignal): Promise<void> {
    const { predictions } = this.#parts.store;
    const { conversationId, questions, level, leftOut, tell } = asking;
    const { chatTemplate } = level;
    const messages = [...asking.messages];
    const wanted = this.#missing(asking).map(({ place }) => place);
    for await (const event of await client.predict({ conversationId, messages, wanted, chatTemplate }, { signal })) {
      if (event.type === "progress") tell({ ...event, phase: "reading" });
      if (event.type !== "answer" && event.type !== "left-out") continue;
      const question = questions.find(({ place }) => place === event.message);
      if (question === undefined) continue;
      const { messageId, chain } = question;
      if (event.type === "left-out") leftOut.add(messageId);
      else predictions.keep({ messageId, level: level.key, chain, tokens: event.tokens });
    }
  }

  #missing({ conversationId, questions, level, leftOut }: Asking): AgreementQuestions["questions"] {
    const said = this.#saidBy(conversationId, level, questions);
    return questions.filter(({ messageId, tokens }) => tokens > 0 && !said.has(messageId) && !leftOut.has(messageId));
  }

  /** What a level says of each answer, as the conversation is now. */
  #saidBy(conversationId: string, { key }: AskedLevel, questions: AgreementQuestions["questions"]) {
    const chains = new Map(questions.map(({ messageId, chain }) => [messageId, chain]));
    const said = this.#parts.store.predictions.of(conversationId, key);
    return new Map(
      said
        .filter(({ messageId, chain }) => chains.get(messageId) === chain)
        .map(({ messageId, tokens }) => [messageId, tokens]),
    );
  }

  #compare(
    conversationId: string,
    { questions }: AgreementQuestions,
    { level, reference }: { readonly level: AskedLevel; readonly reference: AskedLevel },
  ): Agreement {
    const one = this.#saidBy(conversationId, level, questions);
    const other = this.#saidBy(conversationId, reference, questions);
    const answers = questions.flatMap(({ messageId }) => {
      const said = one.get(messageId);
      const expected = other.get(messageId);
      return said === undefined || expected === undefined ? [] : [{ messageId, figures: figuresOf(said, expected) }];
    });
    const total = sumOf(answers.map(({ figures }) => figures));
    const ids = { conversationId, modelId: level.model.id, referenceId: reference.model.id };
    return { ...ids, total, answers, allAnswers: questions.length };
  }

  #questionsOf(conversationId: string): AgreementQuestions {
    const { conversations, messages } = this.#parts.store;
    const { activeLeafId } = conversations.get(conversationId);
    const stored = activeLeafId === null ? [] : messages.prompt(activeLeafId);
    return agreementQuestions(messages.activePath(conversationId), stored);
  }

  async #level({ id, path }: { readonly id: string; readonly path: string }): Promise<AskedLevel> {
    return askedLevel({ id, path }, this.#parts);
  }
}
