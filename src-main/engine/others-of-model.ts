import type { ModelSession } from "./model-session.ts";
import type { OtherModels } from "./other-models.ts";
import { totalModelBytes } from "./resident-model.ts";
import type { ResidentFacts } from "./sizing/plan-residents.ts";

interface Surroundings {
  readonly sessions: () => readonly ModelSession[];
  /** Those that could make way, but not `own`. */
  readonly closable: (own: ModelSession | null) => readonly ResidentFacts<ModelSession>[];
  /** Those longest unused of them make way for so many bytes. */
  readonly release: (bytes: number, own: ModelSession | null) => Promise<void>;
}

/** What is in memory beside one model. */
export class OthersOfModel implements OtherModels {
  readonly #surroundings: Surroundings;
  /** The model itself; `null` while it is being loaded. */
  own: ModelSession | null = null;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  get mappedBytes(): number {
    return this.#sessions.reduce((sum, { model }) => sum + model.mappedBytes, 0);
  }

  get reclaimableBytes(): number {
    return this.#surroundings.closable(this.own).reduce((sum, { bytes }) => sum + bytes, 0);
  }

  get shares(): OtherModels["shares"] {
    return this.#sessions.map((session) => {
      const { name, quantization: level } = session.model.summary;
      return { name, level, bytes: totalModelBytes(session) };
    });
  }

  async makeRoom(bytes: number): Promise<void> {
    await this.#surroundings.release(bytes, this.own);
  }

  get #sessions(): readonly ModelSession[] {
    return this.#surroundings.sessions().filter((session) => session !== this.own);
  }
}
