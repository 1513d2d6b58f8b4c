import type { CacheState } from "../../src-main/contract/cache.ts";
import type { GenerateInput, PromptMessage } from "../../src-main/contract/engine-contract.ts";
import type { ReuseCosts } from "../../src-main/engine/kv/reuse-costs.ts";
import { request, turn, type EngineClient, type Turn } from "./engine-turns.ts";
import { message } from "./prompt-message.ts";

/** Restoring is always worth it: what a test sees must not depend on how fast the machine is. */
export const cheapRestore: ReuseCosts = {
  prefill: { msPerToken: 1, msPerTokenAndDepth: 0 },
  restore: { fixedMs: 0, msPerToken: 0 },
};

/** A conversation as the app leads it: it owns its messages, and asks with all of them each time. */
export class CachedChat {
  readonly id: string;
  messages: PromptMessage[];
  readonly #client: EngineClient;
  readonly #sampling: Partial<GenerateInput["sampling"]>;

  constructor(client: EngineClient, id: string, { system = "be helpful", maxTokens = 12 } = {}) {
    this.#client = client;
    this.id = id;
    this.#sampling = { maxTokens };
    this.messages = system === "" ? [] : [message("system", system)];
  }

  async send(text: string, onEvent?: (input: GenerateInput) => unknown): Promise<Turn> {
    this.messages.push(message("user", text));
    return await this.answer(onEvent);
  }

  /** Answers the last message once more. */
  async regenerate(): Promise<Turn> {
    this.messages.pop();
    return await this.answer();
  }

  /** Replaces a user's message, which becomes the last one. Returns what was there before. */
  edit(index: number, text: string): PromptMessage[] {
    const before = this.messages;
    this.messages = [...before.slice(0, index), message("user", text)];
    return before;
  }

  async answer(onEvent?: (input: GenerateInput) => unknown): Promise<Turn> {
    const input = request(this.messages, this.#sampling, this.id);
    const answered = await turn(this.#client, input, () => onEvent?.(input));
    if (answered.text !== "") this.messages.push(message("assistant", answered.text, answered.answerTokens));
    return answered;
  }
}

/** `<|im_end|>`, a line break, `<|im_start|>`, `user`, a line break. */
const betweenTokens = 5;

/** How many tokens are in place behind a turn: its own, and what ChatML writes between any answer and the next message. */
export function inPlaceAfter({ report, answerTokens }: Pick<Turn, "report" | "answerTokens">): number {
  return report.promptTokens + (answerTokens?.length ?? 0) + betweenTokens;
}

/** The first state of the cache that is as wanted. */
export async function cacheStateWhen(
  client: EngineClient,
  isWanted: (state: CacheState) => boolean = () => true,
): Promise<CacheState> {
  for await (const state of await client.cache.watch()) if (isWanted(state)) return state;
  throw new Error("the cache's state ended");
}

/** When all that is in place is with the store, of which only tails may wait to be written. */
export async function whenStored(client: EngineClient, tokens: number): Promise<CacheState> {
  return await cacheStateWhen(client, ({ store }) => store.tokens >= tokens);
}

/** About `tokens` tokens of text, the same for the same number and word. */
export const longText = (tokens: number, word = "hello") =>
  Array.from({ length: Math.ceil(tokens / 3) }, (_, index) => `${index % 10} ${word}`).join(" ");
