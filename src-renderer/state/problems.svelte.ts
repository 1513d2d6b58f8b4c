/** What went wrong with something the user asked for, until it is dismissed. Owns the list that is shown. */
import { errorView, toRepriseError, type ErrorCode, type ErrorView } from "../../src-main/contract/errors.ts";

export interface Problem {
  readonly id: number;
  readonly error: ErrorView;
}

const mostShown = 3;

export class Problems {
  #list = $state.raw<readonly Problem[]>([]);
  #lastId = 0;

  /** Oldest first. */
  get list(): readonly Problem[] {
    return this.#list;
  }

  report(caught: unknown): void {
    const error = toErrorView(caught);
    const others = this.#list.filter((problem) => problem.error.code !== error.code);
    this.#list = [...others, { id: (this.#lastId += 1), error }].slice(-mostShown);
  }

  /** For a failure of this code that is told elsewhere. */
  reportUnless(code: ErrorCode): (caught: unknown) => void {
    return (caught) => {
      if (toErrorView(caught).code !== code) this.report(caught);
    };
  }

  dismiss(id: number): void {
    this.#list = this.#list.filter((problem) => problem.id !== id);
  }

  clear(): void {
    this.#list = [];
  }

  /** Waits for `work` and reports where it fails. Returns whether it succeeded. */
  async attempt(work: Promise<unknown>): Promise<boolean> {
    try {
      await work;
      return true;
    } catch (caught) {
      this.report(caught);
      return false;
    }
  }
}

export function toErrorView(caught: unknown): ErrorView {
  return errorView(toRepriseError(caught));
}
