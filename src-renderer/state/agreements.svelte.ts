/**
 * How much the levels of a model agree on the open conversation. Owns what is known of it, and the one measurement that
 * may be going on.
 */
import type { Agreement, AgreementEvent } from "../../src-main/contract/agreement.ts";
import type { Connection } from "./connection.svelte.ts";
import type { Problems } from "./problems.svelte.ts";

type Progress = Extract<AgreementEvent, { type: "progress" }>;

interface Place {
  readonly conversationId: string;
  readonly referenceId: string;
}

/** Where reading began, to tell how long the rest takes. */
interface Begun {
  readonly modelId: string;
  readonly atMs: number;
  readonly doneTokens: number;
}

export interface Measuring {
  /** The level that was asked for. */
  readonly modelId: string;
  readonly progress: Progress | null;
  /** `null` while nobody can say. */
  readonly leftMs: number | null;
}

export class Agreements {
  #known = $state.raw<readonly Agreement[]>([]);
  #measuring = $state.raw<Measuring | null>(null);
  #end: AbortController | null = null;
  #begun: Begun | null = null;
  readonly #connection: Connection;
  readonly #problems: Problems;

  constructor(connection: Connection, problems: Problems) {
    this.#connection = connection;
    this.#problems = problems;
  }

  get measuring(): Measuring | null {
    return this.#measuring;
  }

  of({ conversationId, referenceId }: Place, modelId: string): Agreement | null {
    const isWanted = (known: Agreement) =>
      known.conversationId === conversationId && known.referenceId === referenceId && known.modelId === modelId;
    return this.#known.find(isWanted) ?? null;
  }

  /** Asks main what it knows already. */
  async look(place: Place): Promise<void> {
    await this.#problems.attempt(
      this.#connection.call(async (client) => {
        this.#known = await client.models.knownAgreements(place);
      }),
    );
  }

  /** One level after the other; those that are known in full cost nothing. */
  async measure(place: Place, modelIds: readonly string[]): Promise<void> {
    if (this.#end !== null) return;
    const end = new AbortController();
    this.#end = end;
    try {
      for (const modelId of modelIds) await this.#measure(place, modelId, end.signal);
    } catch (caught) {
      if (!end.signal.aborted) this.#problems.report(caught);
    } finally {
      this.#end = null;
      this.#measuring = null;
    }
  }

  /** What was said until then is kept. */
  cancel(): void {
    this.#end?.abort();
  }

  async #measure(place: Place, modelId: string, signal: AbortSignal): Promise<void> {
    this.#begun = null;
    this.#measuring = { modelId, progress: null, leftMs: null };
    await this.#connection.call(async (client) => {
      for await (const event of await client.models.agreement({ ...place, modelId }, { signal })) {
        signal.throwIfAborted();
        if (event.type === "progress") {
          this.#measuring = { modelId, progress: event, leftMs: this.#leftMs(event, performance.now()) };
        } else {
          const { agreement } = event;
          this.#known = [...this.#known.filter((known) => known.modelId !== agreement.modelId), agreement];
        }
      }
    });
  }

  /** As fast as until now; another level that is still to be asked takes as long again. */
  #leftMs({ modelId, phase, doneTokens, totalTokens, levelsLeft }: Progress, nowMs: number): number | null {
    if (phase !== "reading" || totalTokens === 0) return null;
    if (this.#begun?.modelId !== modelId) this.#begun = { modelId, atMs: nowMs, doneTokens };
    const read = doneTokens - this.#begun.doneTokens;
    if (read <= 0) return null;
    const msPerToken = (nowMs - this.#begun.atMs) / read;
    return msPerToken * (totalTokens - doneTokens + levelsLeft * totalTokens);
  }
}
