/** What can be asked of the cache by hand. */
import type { CacheState, SelfTestResult, VerifyResult } from "../contract/cache.ts";
import { readCacheState } from "./cache-state.ts";
import type { EngineSession } from "./engine-session.ts";
import type { FittingPrompts } from "./fitting-prompts.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { Store } from "./ports.ts";
import { promptSoFar } from "./prompt.ts";

interface Dependencies {
  readonly store: Store;
  readonly session: EngineSession;
  readonly models: ModelChoice;
  readonly prompts: FittingPrompts;
}

export class CacheService {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  state(): Promise<CacheState> {
    return this.#parts.session.withCache(readCacheState);
  }

  async clear(): Promise<void> {
    await this.#parts.session.withCache((client) => client.cache.clear());
  }

  verify(signal: AbortSignal): Promise<VerifyResult> {
    return this.#parts.session.withCache((client) => client.cache.verify(undefined, { signal }));
  }

  /** Waits for the answers of another model, and loads the conversation's. Throws NOT_FOUND and what loading throws. */
  async selfTest(conversationId: string, signal: AbortSignal): Promise<SelfTestResult> {
    const { store, session, models, prompts } = this.#parts;
    const conversation = store.conversations.get(conversationId);
    const whole = promptSoFar(store.messages, conversation);
    if (whole.length === 0) return nothingToTest;
    const model = await models.usable(conversation.modelId, signal);
    return session.withModel(model, signal, (client) =>
      prompts.attempt(conversation, whole, "look", (messages) =>
        client.cache.selfTest({ conversationId, messages }, { signal }),
      ),
    );
  }
}

const nothingToTest: SelfTestResult = {
  tokens: 0,
  replayedTokens: 0,
  verdict: "nothing-stored",
  isSameChoice: true,
  maxDifference: null,
  scale: null,
  tie: null,
  restoreMs: 0,
  computeMs: 0,
};
