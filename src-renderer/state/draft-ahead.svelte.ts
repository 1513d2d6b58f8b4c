/**
 * What is done about a message while it is still being typed: how much of the context it will fill is measured, and
 * the engine computes it ahead. Owns the last measurement; the text belongs to the drafts.
 */
import type { Draft, DraftSize as MeasuredSize } from "../../src-main/contract/draft.ts";
import type { Settings } from "../../src-main/contract/settings.ts";
import type { Connection } from "./connection.svelte.ts";
import { Latest } from "./latest.ts";

export interface TypedDraft extends Readonly<Draft> {
  /** Of the field it is typed into, see Drafts. */
  readonly place: string;
}

/** What sending a draft would fill. */
export interface DraftSize extends Readonly<MeasuredSize> {
  readonly place: string;
}

const pauseMs = 300;
/** Who types without a pause has what is typed computed along: little is then left when it is sent. */
const longestMs = 1_000;
/** Text that arrives at once and is longer than this was pasted, and is worth computing before a pause. */
const pastedCharacters = 400;

export class DraftAhead {
  #size = $state.raw<DraftSize | null>(null);
  #draft: TypedDraft | null = null;
  readonly #connection: Connection;
  readonly #prepare: Latest<TypedDraft>;
  readonly #measure: Latest<TypedDraft>;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#prepare = new Latest({
      pauseMs,
      longestMs,
      work: (draft, signal) => this.#prepared(draft, signal),
      // What is being computed is still needed by a text that only became longer.
      isOutdated: (running, next) => !isContinued(running, next),
    });
    this.#measure = new Latest({ pauseMs, work: (draft) => this.#measured(draft), isOutdated: () => false });
  }

  /** Of the draft in this field as it was when last measured; `null` while nothing is known of it. */
  sizeOf(place: string): DraftSize | null {
    return this.#size?.place === place ? this.#size : null;
  }

  /** To be called when the draft changed; `null`: there is none that could be sent now. */
  typed(draft: TypedDraft | null, prepareDrafts: Settings["prepareDrafts"]): void {
    const before = this.#draft;
    this.#draft = draft;
    if (draft === null) {
      this.#prepare.clear();
      this.#measure.clear();
      this.#size = null;
      return;
    }
    if (this.#size?.place !== draft.place) this.#size = null;
    const isPasted = wasPasted(before, draft);
    this.#measure.set(draft, isPasted);
    if (prepareDrafts === "off") this.#prepare.clear();
    else this.#prepare.set(draft, isPasted);
  }

  async #prepared({ place, ...draft }: TypedDraft, signal: AbortSignal): Promise<void> {
    await this.#ask(this.#connection.call((client) => client.chat.prepare(draft, { signal })));
    // Less of it would have to be computed now.
    if (this.#draft?.place === place && this.#draft.text === draft.text) this.#measure.set(this.#draft, true);
  }

  async #measured({ place, ...draft }: TypedDraft): Promise<void> {
    await this.#ask(
      this.#connection
        .call((client) => client.chat.measure(draft))
        .then((size) => {
          if (this.#draft?.place !== place) return;
          this.#size = size === null ? null : { ...size, place };
        }),
    );
  }

  /** Nothing is lost where it fails: the message is measured and computed when it is sent, and failures are told then. */
  async #ask(work: Promise<unknown>): Promise<void> {
    await Promise.allSettled([work]);
  }
}

function isContinued(draft: TypedDraft, next: TypedDraft): boolean {
  return draft.place === next.place && next.text.startsWith(draft.text);
}

function wasPasted(before: TypedDraft | null, draft: TypedDraft): boolean {
  const known = before?.place === draft.place ? before.text.length : 0;
  return draft.text.length - known >= pastedCharacters;
}
