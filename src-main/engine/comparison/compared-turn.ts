import type { CompareInput } from "../../contract/engine-contract.ts";
import { fitContext } from "../fit-context.ts";
import type { ModelSession } from "../model-session.ts";
import { SessionTurn } from "../session-turn.ts";
import { DecodeWatch } from "../tuning/decode-watch.ts";

/** Room for most answers, beside what is in place. */
const usualAnswerTokens = 1_024;

/**
 * An answer that is written beside that of another model. What it takes says nothing of how fast this model is, and
 * nothing is learned from it.
 */
export class ComparedTurn extends SessionTurn {
  readonly #session: ModelSession;
  readonly #watch: DecodeWatch;

  /** Throws TEMPLATE_FAILED. */
  constructor(session: ModelSession, { conversationId, messages }: CompareInput) {
    const input = { kind: "side", conversationId, messages, droppedMessages: 0 } as const;
    super(session, input, session.prompts.build(messages));
    this.#session = session;
    // Without a measurement there is no step that is too slow.
    this.#watch = new DecodeWatch({ prefill: 1, decode: session.watch.threads, measured: [] });
  }

  override get watch(): DecodeWatch {
    return this.#watch;
  }

  /** What is parked meanwhile stays: an answer that comes so far ends there. */
  override get contextTokens(): number {
    const { total, parked } = this.#session.cache.parts.stream.counts;
    return total - parked;
  }

  /** So that the conversation in place stays there, as far as memory has room for both. */
  async makeRoom(): Promise<void> {
    const { stream, tiers } = this.#session.cache.parts;
    const { tokens } = this.prompt;
    const used = stream.counts.total - stream.counts.free;
    await fitContext(this.#session, used - tiers.residentTokens(tokens) + tokens.length + usualAnswerTokens);
  }

  override noteChunk(): void {
    // Half of the time was the other's.
  }
}
