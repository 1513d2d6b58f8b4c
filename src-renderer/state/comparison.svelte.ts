/**
 * One prompt to two models side by side. Owns whether the view is open, which models are chosen, and what both have
 * said. What is asked is the draft of the open conversation, and stays its draft until an answer is kept.
 */
import type { ComparisonEvent } from "../../src-main/contract/comparison.ts";
import type { Chat } from "./chat.svelte.ts";
import { beginSides, reduceSides, type ComparedSides } from "./compared-sides.ts";
import type { Connection } from "./connection.svelte.ts";
import type { Drafts } from "./drafts.svelte.ts";
import { FrameBatch } from "./frame-batch.ts";
import type { Problems } from "./problems.svelte.ts";
import type { Route } from "./route.svelte.ts";

interface Parts {
  readonly connection: Connection;
  readonly problems: Problems;
  readonly drafts: Drafts;
  readonly route: Route;
  readonly chat: Chat;
}

export class Comparison {
  isOpen = $state(false);
  /** `null`: nobody has chosen yet. */
  modelIds = $state.raw<readonly [string, string] | null>(null);
  #run = $state.raw<ComparedSides | null>(null);
  #asked = $state.raw("");
  #end = $state.raw<AbortController | null>(null);
  #isKeeping = $state(false);
  readonly #parts: Parts;
  readonly #batch = new FrameBatch<ComparisonEvent>((events) => {
    if (this.#run !== null) this.#run = events.reduce(reduceSides, this.#run);
  });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** `null` before anything was asked. */
  get run(): ComparedSides | null {
    return this.#run;
  }

  /** What both were asked. */
  get asked(): string {
    return this.#asked;
  }

  get isRunning(): boolean {
    return this.#end !== null;
  }

  get isKeeping(): boolean {
    return this.#isKeeping;
  }

  /** Asks both what is typed, which stays where it is. */
  async start(modelIds: readonly [string, string]): Promise<void> {
    const { connection, problems, drafts, route, chat } = this.#parts;
    const text = drafts.get(chat.place);
    if (this.isRunning || text.trim() === "") return;
    const end = new AbortController();
    this.#end = end;
    this.#asked = text;
    this.#run = beginSides(modelIds);
    problems.clear();
    const conversationId = route.conversationId ?? chat.newConversationId;
    const newConversation = route.conversationId === null ? { newConversation: chat.beginning } : {};
    const ids: [string, string] = [...modelIds];
    const input = { conversationId, text, modelIds: ids, ...newConversation };
    await this.#until(end.signal, async () => {
      await connection.call(async (client) => {
        for await (const event of await client.models.compare(input, { signal: end.signal })) {
          if (end.signal.aborted) return;
          this.#batch.add(event);
        }
      });
    });
    if (this.#end === end) {
      this.#batch.flush();
      this.#end = null;
    }
  }

  /** Both end where they are. */
  async stop(): Promise<void> {
    const comparisonId = this.#run?.comparisonId ?? null;
    if (comparisonId === null) this.#abandon();
    else await this.#call((client) => client.models.stopComparison({ comparisonId }));
  }

  /** Makes one side's answer part of the conversation, and closes the view. */
  async keep(side: 0 | 1): Promise<void> {
    const comparisonId = this.#run?.comparisonId ?? null;
    if (comparisonId === null || this.isRunning || this.#isKeeping) return;
    this.#isKeeping = true;
    const { drafts, chat } = this.#parts;
    const place = chat.place;
    const isKept = await this.#call(async (client) => {
      await chat.beginDrafted();
      await client.models.keepCompared({ comparisonId, side });
    });
    this.#isKeeping = false;
    if (!isKept) return;
    // What was typed after it was asked is a draft still.
    for (const kept of [place, chat.place]) if (drafts.get(kept) === this.#asked) drafts.set(kept, "");
    this.close();
  }

  open(): void {
    this.isOpen = true;
  }

  /** Keeps nothing but what is typed. */
  close(): void {
    this.#abandon();
    this.#run = null;
    this.isOpen = false;
  }

  #abandon(): void {
    this.#end?.abort();
    this.#end = null;
    this.#batch.clear();
  }

  #call(use: Parameters<Connection["call"]>[0]): Promise<boolean> {
    return this.#parts.problems.attempt(this.#parts.connection.call(use));
  }

  /** What fails after somebody has gone on to something else is nobody's concern. */
  async #until(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (caught) {
      if (!signal.aborted) this.#parts.problems.report(caught);
    }
  }
}
