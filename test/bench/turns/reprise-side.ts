import { setTimeout as elapsed } from "node:timers/promises";
import type { AppClient, Sent } from "../../../src-main/contract/app-contract.ts";
import { Latest } from "../../../src-renderer/state/latest.ts";
import type { BenchApp, TimedAnswer } from "../bench-app.ts";
import type { Chat, ChatOptions, Side, Turn } from "./side.ts";

/** As the page does: a draft is computed after such a pause, at the latest after so long, or at once where it was pasted. */
const draftPauseMs = 300;
const draftLongestMs = 1_000;
/** Between two looks at the store; what is written in the background begins sooner than that. */
const lookEveryMs = 250;

export class RepriseSide implements Side {
  readonly name = "reprise";
  readonly worksAhead = true;
  readonly #app: BenchApp;

  constructor(app: BenchApp) {
    this.#app = app;
  }

  async newChat({ maxTokens }: ChatOptions): Promise<Chat> {
    const sampling = { temperature: 0, repeatPenalty: 1, maxTokens };
    return new RepriseChat(this.#app, await this.#app.newConversation(sampling));
  }

  async restart(): Promise<void> {
    await this.#app.restart();
  }

  /** Tails stay unwritten for long, so that it is settled when nothing changes any more. */
  async settled(): Promise<number | null> {
    const look = async () => (await this.#app.client.cache.get()).store;
    for (let before = await look(); ;) {
      await elapsed(lookEveryMs);
      const now = await look();
      if (!now.isEnabled || now.failure !== null) return null;
      if (now.writtenBytes === before.writtenBytes && now.pendingBytes === before.pendingBytes) return now.writtenBytes;
      before = now;
    }
  }
}

class RepriseChat implements Chat {
  readonly #app: BenchApp;
  readonly #conversationId: string;
  /** Before the last message sent: where an edited one branches off. */
  #parentId: string | null = null;
  #last: Sent | null = null;
  readonly #drafts = new Latest<string>({
    pauseMs: draftPauseMs,
    longestMs: draftLongestMs,
    work: async (text, signal) => {
      const draft = { conversationId: this.#conversationId, text };
      await Promise.allSettled([this.#app.client.chat.prepare(draft, { signal })]);
    },
    isOutdated: (running, next) => !next.startsWith(running),
  });

  constructor(app: BenchApp, conversationId: string) {
    this.#app = app;
    this.#conversationId = conversationId;
  }

  async send(text: string): Promise<Turn> {
    this.#parentId = this.#last?.messageId ?? null;
    return await this.#answer(async ({ chat }) => {
      const sent = await chat.send({ conversationId: this.#conversationId, text });
      this.#drafts.clear();
      return sent;
    });
  }

  async edit(text: string): Promise<Turn> {
    const [conversationId, parentId] = [this.#conversationId, this.#parentId];
    return await this.#answer(({ chat }) => chat.send({ conversationId, text, parentId }));
  }

  async regenerate(): Promise<Turn> {
    const messageId = this.#last?.messageId;
    if (messageId === undefined) throw new Error("There is no answer yet.");
    return await this.#answer(({ chat }) => chat.regenerate({ messageId }));
  }

  async open(): Promise<void> {
    await this.#app.client.chat.warm({ conversationId: this.#conversationId });
  }

  draft(text: string, isPasted: boolean): void {
    this.#drafts.set(text, isPasted);
  }

  async #answer(start: (client: AppClient) => Promise<Sent>): Promise<Turn> {
    const answer = await this.#app.answer(this.#conversationId, start);
    this.#last = answer.sent;
    return turnOf(answer);
  }
}

function turnOf({ text, ttftMs, report }: TimedAnswer): Turn {
  return {
    ttftMs,
    reportedMs: report.ttftMs,
    promptTokens: report.promptTokens,
    computedTokens: report.prefilled,
    outputTokens: report.outputTokens,
    tokensPerSecond: report.decodeTokensPerSecond,
    text,
    report,
  };
}
