import type { PromptMessage, Tool } from "../contract/engine-contract.ts";
import type { ChatTemplate } from "./generation/chat-template.ts";
import { draftTokens, settledTokens, systemTokens } from "./generation/prompt-parts.ts";
import { PromptTokens, type Prompt } from "./generation/prompt-tokens.ts";
import type { Tokenizer } from "./generation/tokenizer.ts";
import { noToken } from "./kv/kv-tiers.ts";

const rememberedSystemPrompts = 256;

/** What a template makes of messages for one vocabulary. It owns what it remembers of earlier prompts, which saves work only. */
export class SessionPrompts {
  readonly template: ChatTemplate;
  readonly #prompts: PromptTokens;
  /** For prompts nobody sent, so that the others are not forgotten over them. */
  readonly #probes: PromptTokens;
  readonly #systemTokens = new Map<string, number>();

  /** Throws TEMPLATE_FAILED. */
  constructor(tokenizer: Tokenizer, template: ChatTemplate) {
    this.template = template;
    this.#prompts = new PromptTokens(tokenizer, template);
    this.#probes = new PromptTokens(tokenizer, template);
  }

  /** Throws TEMPLATE_FAILED. */
  build(messages: readonly PromptMessage[], tools: readonly Tool[] = []): Prompt {
    return this.#prompts.build(messages, tools);
  }

  /** A prompt's tokens, without forgetting the last one over it. Throws TEMPLATE_FAILED. */
  probe(messages: readonly PromptMessage[]): readonly number[] {
    return this.#probes.build(messages).tokens;
  }

  /** See draftTokens. Throws TEMPLATE_FAILED. */
  draft(messages: readonly PromptMessage[]): number[] {
    return draftTokens(messages, this.#prompts);
  }

  /** See settledTokens. Throws TEMPLATE_FAILED. */
  settled(messages: readonly PromptMessage[], tools: readonly Tool[] = []): number[] {
    return settledTokens(messages, tools, this.#prompts);
  }

  /** What the next prompt of a conversation begins with, as far as is known, and as if more came behind it. Throws TEMPLATE_FAILED. */
  coming(messages: readonly PromptMessage[]): readonly number[] {
    const isAnswered = messages.at(-1)?.role === "assistant";
    return isAnswered ? [...this.settled(messages), noToken] : this.build(messages).tokens;
  }

  /** How many tokens every conversation with this system prompt and these tools begins with. */
  system(messages: readonly PromptMessage[], tools: readonly Tool[] = []): number {
    const system = JSON.stringify([messages[0]?.role === "system" ? messages[0].content : "", tools]);
    const known = this.#systemTokens.get(system);
    if (known !== undefined) return known;
    const tokens = systemTokens(messages, tools, this.#probes);
    if (this.#systemTokens.size >= rememberedSystemPrompts) this.#systemTokens.clear();
    this.#systemTokens.set(system, tokens);
    return tokens;
  }
}
