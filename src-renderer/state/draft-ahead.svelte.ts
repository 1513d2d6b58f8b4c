/**
 * What is done about a message while it is still being typed: how much of the context it will fill is measured, and
 * the engine computes it ahead. Owns the last measurement; the text belongs to the drafts.
 */
import type { Settings } from "../../src-main/contract/settings.ts";
import type { Connection } from "./connection.svelte.ts";
import { Latest } from "./latest.ts";

export interface Draft {
  readonly conversationId: string;
  readonly text: string;
}

/** What sending a draft would fill. */
export interface DraftSize extends Draft {
  readonly promptTokens: number;
  readonly contextTokens: number;
}

const pauseMs = 300;
/** Text that arrives at once and is longer than this was pasted, and is worth computing before a pause. */
const pastedCharacters = 400;

export class DraftAhead {
  #size = $state.raw<DraftSize | null>(null);
  #draft: Draft | null = null;
  readonly #connection: Connection;
  readonly #prepare: Latest<Draft>;
  readonly #measure: Latest<Draft>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#prepare = new Latest({
      pauseMs,
      work: (draft, signal) => this.#ask(connection.call((client) => client.chat.prepare(draft, { signal }))),
      // What is being computed is still needed by a text that only became longer.
      isOutdated: (running, next) => !isContinued(running, next),
    });
    this.#measure = new Latest({ pauseMs, work: (draft) => this.#measured(draft), isOutdated: () => false });
  }

  /** Of the draft as it was when last measured; `null` while nothing is known of it. */
  get size(): DraftSize | null {
    return this.#size;
  }

  /** To be called when the draft changed; `null`: there is none that could be sent now. */
  typed(draft: Draft | null, prepareDrafts: Settings["prepareDrafts"]): void {
    const before = this.#draft;
    this.#draft = draft;
    if (draft === null) {
      this.#prepare.clear();
      this.#measure.clear();
      this.#size = null;
      return;
    }
    if (this.#size?.conversationId !== draft.conversationId) this.#size = null;
    const isPasted = wasPasted(before, draft);
    this.#measure.set(draft, isPasted);
    if (prepareDrafts === "off") this.#prepare.clear();
    else this.#prepare.set(draft, isPasted);
  }

  async #measured(draft: Draft): Promise<void> {
    await this.#ask(
      this.#connection
        .call((client) => client.chat.measure(draft))
        .then((tokens) => {
          if (this.#draft?.conversationId !== draft.conversationId) return;
          this.#size = tokens === null ? null : { ...draft, ...tokens };
        }),
    );
  }

  /** Nothing is lost where it fails: the message is measured and computed when it is sent, and failures are told then. */
  async #ask(work: Promise<unknown>): Promise<void> {
    await Promise.allSettled([work]);
  }
}

function isContinued(draft: Draft, next: Draft): boolean {
  return draft.conversationId === next.conversationId && next.text.startsWith(draft.text);
}

function wasPasted(before: Draft | null, draft: Draft): boolean {
  const known = before?.conversationId === draft.conversationId ? before.text.length : 0;
  return draft.text.length - known >= pastedCharacters;
}
