/**
 * Conversations that go on with another model: what that would take, and putting them in place under it while nobody
 * waits. One at a time, that of the conversation somebody looks at; it gives way to every answer and goes on behind it. It
 * owns how far that is.
 */
import type { RefillEvent } from "../contract/engine-contract.ts";
import { errorView, toRepriseError } from "../contract/errors.ts";
import type { ModelSwitch } from "../contract/model-switch.ts";
import { abortable } from "./abortable.ts";
import { betweenAnswers } from "./between-answers.ts";
import type { EngineSession } from "./engine-session.ts";
import type { FittingPrompts } from "./fitting-prompts.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { EngineClient, Store } from "./ports.ts";
import { promptSoFar } from "./prompt.ts";
import type { StatusService } from "./status-service.ts";

interface Dependencies {
  readonly store: Store;
  readonly session: EngineSession;
  readonly models: ModelChoice;
  readonly prompts: FittingPrompts;
  readonly status: StatusService;
  /** Something is to be told of a conversation's switch. */
  readonly onChanged: (conversationId: string) => void;
}

interface Switching {
  readonly conversationId: string;
  readonly modelId: string;
  readonly end: AbortController;
  phase: ModelSwitch["phase"];
}

export class ModelSwitches {
  readonly #parts: Dependencies;
  /** Also one that failed, until somebody does something else with the conversation. */
  #current: Switching | null = null;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** A conversation is being put in place. */
  get isGoing(): boolean {
    return this.#current !== null && this.#current.phase.name !== "failed";
  }

  of(conversationId: string): ModelSwitch | null {
    const current = this.#current;
    if (current?.conversationId !== conversationId) return null;
    return { modelId: current.modelId, phase: current.phase };
  }

  /** Returns when the conversation's model is stored; the rest goes on by itself. Throws NOT_FOUND. */
  begin(conversationId: string, modelId: string): void {
    const { store, models } = this.#parts;
    const { id } = models.listed(modelId);
    store.conversations.update(conversationId, { modelId: id });
    this.#end();
    const switching: Switching = { conversationId, modelId, end: new AbortController(), phase: { name: "waiting" } };
    this.#current = switching;
    this.#parts.onChanged(conversationId);
    void this.#run(switching);
  }

  cancel(conversationId: string): void {
    if (this.#current?.conversationId === conversationId) this.#end();
  }

  /** Somebody looks at this conversation now, and no longer at another. */
  opened(conversationId: string): void {
    if (this.#current !== null && this.#current.conversationId !== conversationId) this.#end();
  }

  close(): void {
    this.#current?.end.abort();
    this.#current = null;
  }

  #end(): void {
    const before = this.#current;
    if (before === null) return;
    this.close();
    this.#tell(before.conversationId);
  }

  async #run(switching: Switching): Promise<void> {
    const { session, models } = this.#parts;
    const { signal } = switching.end;
    void this.#followLoad(switching);
    try {
      const model = await models.usable(switching.modelId, signal);
      await betweenAnswers(session, model, signal, (client, ending) => this.#refill(client, switching, ending));
      if (this.#current === switching) this.#end();
    } catch (caught) {
      this.#enter(switching, { name: "failed", error: errorView(toRepriseError(caught)) });
    }
  }

  /** What is being read from the disk for it. */
  async #followLoad(switching: Switching): Promise<void> {
    const { signal } = switching.end;
    for await (const { engine } of this.#parts.status.watch(signal)) {
      if (switching.phase.name !== "waiting" && switching.phase.name !== "loading") return;
      const isOwn = engine.state === "loading" && engine.modelId === switching.modelId;
      if (isOwn) this.#enter(switching, { name: "loading", fraction: engine.fraction });
    }
  }

  /** Again from where it was, when an answer of the same model came between. */
  async #refill(client: EngineClient, switching: Switching, signal: AbortSignal): Promise<RefillEvent> {
    const { store, prompts } = this.#parts;
    const { conversationId } = switching;
    for (;;) {
      const conversation = store.conversations.get(conversationId);
      const whole = promptSoFar(store.messages, conversation);
      if (whole.length === 0) return nothingToDo;
      const end = await prompts.attempt(conversation, whole, "look", async (messages) => {
        const events = await abortable(client.refill({ conversationId, messages }, { signal }), signal);
        return await this.#passOn(events, switching);
      });
      if (!end.isInterrupted) return end;
      signal.throwIfAborted();
    }
  }

  async #passOn(events: AsyncIterable<RefillEvent>, switching: Switching): Promise<RefillEnd> {
    for await (const event of events) {
      if (event.type === "done") return event;
      const { doneTokens, totalTokens } = event;
      this.#enter(switching, { name: "prefill", doneTokens, totalTokens });
    }
    return { ...nothingToDo, isInterrupted: true };
  }

  #enter(switching: Switching, phase: ModelSwitch["phase"]): void {
    if (this.#current !== switching) return;
    switching.phase = phase;
    this.#tell(switching.conversationId);
  }

  #tell(conversationId: string): void {
    // It may have been deleted since.
    if (this.#parts.store.conversations.find(conversationId) !== null) this.#parts.onChanged(conversationId);
  }
}

type RefillEnd = Extract<RefillEvent, { type: "done" }>;

const nothingToDo: RefillEnd = { type: "done", tokens: 0, isInterrupted: false };
