/** A plan of memory that follows what is being chosen: the newest question is answered, after a pause in the choosing. */
import type { ErrorView } from "../../src-main/contract/errors.ts";
import type { MemoryPlan, PlanInput } from "../../src-main/contract/memory-plan.ts";
import type { Connection } from "./connection.svelte.ts";
import { Latest } from "./latest.ts";
import { toErrorView } from "./problems.svelte.ts";

interface Question {
  readonly asked: PlanInput;
  /** To compare with, by name. One that cannot be answered is left out. */
  readonly others: Readonly<Record<string, PlanInput>>;
}

export type OtherPlans = Readonly<Partial<Record<string, MemoryPlan>>>;

const pauseMs = 150;

export class LivePlan {
  #plan = $state.raw<MemoryPlan | null>(null);
  #others = $state.raw<OtherPlans>({});
  #error = $state.raw<ErrorView | null>(null);
  #isAsking = $state(false);
  readonly #connection: Connection;
  readonly #questions = new Latest<Question>({
    pauseMs,
    isOutdated: () => true,
    work: (question, signal) => this.#answer(question, signal),
  });

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The last answer; while a new one is worked out, still that one. */
  get plan(): MemoryPlan | null {
    return this.#plan;
  }

  /** The answers that belong to `plan`. */
  get others(): OtherPlans {
    return this.#others;
  }

  /** Why there is no answer to the newest question. */
  get error(): ErrorView | null {
    return this.#error;
  }

  get isAsking(): boolean {
    return this.#isAsking;
  }

  ask(asked: PlanInput, others: Question["others"] = {}): void {
    this.#isAsking = true;
    this.#questions.set({ asked, others });
  }

  close(): void {
    this.#questions.clear();
  }

  async #answer({ asked, others }: Question, signal: AbortSignal): Promise<void> {
    const planned = (input: PlanInput) => this.#connection.call((client) => client.models.plan(input, { signal }));
    try {
      const plan = await planned(asked);
      const answers: Record<string, MemoryPlan> = {};
      for (const [name, input] of Object.entries(others)) {
        const answer = await planned(input).catch(() => null);
        if (answer !== null) answers[name] = answer;
      }
      if (signal.aborted) return;
      this.#plan = plan;
      this.#others = answers;
      this.#error = null;
    } catch (caught) {
      if (signal.aborted) return;
      this.#error = toErrorView(caught);
    }
    this.#isAsking = false;
  }
}
