/**
 * What switching the open conversation to each of some models would take. Owns the answers main gave: asked for one
 * after the other, the one a person looks at first, and anew when what they depend on has changed.
 */
import type { ErrorView } from "../../src-main/contract/errors.ts";
import type { SwitchCost } from "../../src-main/contract/model-switch.ts";
import type { Connection } from "./connection.svelte.ts";
import { toErrorView } from "./problems.svelte.ts";

type KnownCost =
  { readonly name: "known"; readonly cost: SwitchCost } | { readonly name: "refused"; readonly error: ErrorView };

/** Whoever only passes over a row on the way to another asks nothing. */
const pauseMs = 120;

export class SwitchCosts {
  #known = $state.raw<Readonly<Record<string, KnownCost>>>({});
  #conversationId: string | null = null;
  #situation: string | null = null;
  #waiting: readonly string[] = [];
  /** Asked since what they depend on has changed last. */
  #asked: readonly string[] = [];
  #end = new AbortController();
  #isAsking = false;
  #pause: ReturnType<typeof setTimeout> | undefined;
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** `null` while it is not known. What was known before a change stays until it is known anew. */
  of(modelId: string): KnownCost | null {
    return this.#known[modelId] ?? null;
  }

  /**
   * Asks what these models would cost, unless that was done in the same `situation`: in words, what costs depend on. What
   * was known of another conversation is forgotten.
   */
  ask(conversationId: string, modelIds: readonly string[], situation: string): void {
    const asked = [conversationId, situation, ...modelIds].join(" ");
    if (asked === this.#situation) return;
    this.#situation = asked;
    if (this.#conversationId !== conversationId) this.#known = {};
    this.#stop();
    this.#conversationId = conversationId;
    this.#waiting = modelIds;
    void this.#work();
  }

  /** This one is looked at: it is asked for next, unless it is known. */
  prefer(modelId: string): void {
    clearTimeout(this.#pause);
    this.#pause = setTimeout(() => {
      if (this.#asked.includes(modelId) || this.#conversationId === null) return;
      this.#waiting = [modelId, ...this.#waiting.filter((id) => id !== modelId)];
      void this.#work();
    }, pauseMs);
  }

  /** Nobody looks any more. */
  close(): void {
    this.#stop();
    this.#situation = null;
    this.#conversationId = null;
    this.#known = {};
  }

  #stop(): void {
    clearTimeout(this.#pause);
    this.#waiting = [];
    this.#asked = [];
    this.#end.abort();
    this.#end = new AbortController();
  }

  async #work(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      this.#waiting = this.#waiting.slice(1);
      this.#asked = [...this.#asked, next];
      await this.#find(next);
    }
    this.#isAsking = false;
  }

  async #find(modelId: string): Promise<void> {
    const { signal } = this.#end;
    const conversationId = this.#conversationId;
    if (conversationId === null) return;
    const known = await this.#connection
      .call((client) => client.chat.switchCost({ conversationId, modelId }, { signal }))
      .then(
        (cost): KnownCost => ({ name: "known", cost }),
        (caught: unknown): KnownCost => ({ name: "refused", error: toErrorView(caught) }),
      );
    if (!signal.aborted) this.#known = { ...this.#known, [modelId]: known };
  }
}
