/** Something a person starts and waits for: whether it runs, and what came of it last. */
import type { Problems } from "./problems.svelte.ts";

export class Task<Result> {
  #isRunning = $state(false);
  #result = $state.raw<Result | null>(null);
  readonly #problems: Problems;

  constructor(problems: Problems) {
    this.#problems = problems;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** `null` before the first has ended, and where the last one failed. */
  get result(): Result | null {
    return this.#result;
  }

  /** What came of it is true no longer. */
  forget(): void {
    this.#result = null;
  }

  async run(work: () => Promise<Result>): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#result = null;
    await this.#problems.attempt(
      work().then((result) => {
        this.#result = result;
      }),
    );
    this.#isRunning = false;
  }
}
