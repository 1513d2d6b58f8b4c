/**
 * How much memory each model on the screen takes, asked once for each file and choice, one after the other: many rows
 * may want to know at the same time, and the engine has answers to write. Owns the choice and what is known for it.
 */
import { SvelteMap } from "svelte/reactivity";
import type { ErrorView } from "../../src-main/contract/errors.ts";
import type { MemoryPlan, PlanInput } from "../../src-main/contract/memory-plan.ts";
import type { ModelFile } from "../../src-main/contract/model.ts";
import type { Connection } from "./connection.svelte.ts";
import { toErrorView } from "./problems.svelte.ts";

/** What a person wants the models for. */
export interface PlanChoice {
  readonly users: number;
  /** Of each user; `null`: what each model would be loaded with. */
  readonly contextTokens: number | null;
}

export type Planned =
  | { readonly state: "known"; readonly plan: MemoryPlan }
  /** It cannot be planned, or would be refused when it is loaded. */
  | { readonly state: "refused"; readonly error: ErrorView };

interface Question {
  readonly key: string;
  readonly input: PlanInput;
}

export class MemoryPlans {
  choice = $state.raw<PlanChoice>({ users: 1, contextTokens: null });
  readonly #known = new SvelteMap<string, Planned>();
  #wanted: readonly Question[] = [];
  readonly #connection: Connection;
  /** The key of the question that is being answered. */
  #asking: string | null = null;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** `undefined` until it is known. */
  of(file: ModelFile): Planned | undefined {
    return this.#known.get(keyOf(file, this.choice));
  }

  /** Asks where it is not known, when it is its turn. Returns what takes the question back. */
  want(file: ModelFile): () => void {
    const key = keyOf(file, this.choice);
    const isAnswered = this.#known.has(key) || this.#asking === key;
    if (this.#connection.state.name !== "open" || isAnswered) return () => undefined;
    const question = { key, input: planInput(file, this.choice) };
    if (this.#wanted.every((other) => other.key !== key)) this.#wanted = [...this.#wanted, question];
    void this.#askAll();
    return () => {
      this.#wanted = this.#wanted.filter((other) => other.key !== key);
    };
  }

  async #askAll(): Promise<void> {
    while (this.#asking === null) {
      const [next, ...later] = this.#wanted;
      if (next === undefined) return;
      this.#wanted = later;
      this.#asking = next.key;
      await this.#ask(next);
      this.#asking = null;
    }
  }

  async #ask({ key, input }: Question): Promise<void> {
    try {
      const plan = await this.#connection.call((client) => client.models.plan(input));
      this.#known.set(key, { state: "known", plan });
    } catch (caught) {
      const error = toErrorView(caught);
      // Asked again when there is somebody to ask.
      if (error.code !== "CONNECTION_LOST") this.#known.set(key, { state: "refused", error });
    }
  }
}

/** With the file's own load options. */
export function planInput(file: ModelFile, { users, contextTokens }: PlanChoice): PlanInput {
  return {
    path: file.path,
    users,
    ...(contextTokens !== null && { contextTokens }),
    options: file.loadOptions,
  };
}

/** A file of another size is another file. */
function keyOf(file: ModelFile, choice: PlanChoice): string {
  return JSON.stringify([file.sizeBytes, planInput(file, choice)]);
}
