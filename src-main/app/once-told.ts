import type { RepriseError } from "../contract/errors.ts";

/** Passes on what is found again and again, a folder that cannot be read for instance, the first time only. */
export class OnceTold {
  readonly #tell: (error: RepriseError) => void;
  readonly #told = new Set<string>();

  constructor(tell: (error: RepriseError) => void) {
    this.#tell = tell;
  }

  tell(errors: readonly RepriseError[]): void {
    for (const error of errors.filter(({ message }) => !this.#told.has(message))) {
      this.#told.add(error.message);
      this.#tell(error);
    }
  }
}
