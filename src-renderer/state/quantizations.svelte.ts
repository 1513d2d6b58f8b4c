/** Quantizations that were asked for, and the levels there are. Owns both as main last told them. */
import type { z } from "zod";
import type {
  Quantization,
  QuantizationPlan,
  QuantizationTarget,
  QuantizeInput,
} from "../../src-main/contract/quantization.ts";
import type { quantizationLevelsSchema } from "../../src-main/contract/quantization-levels.ts";
import type { Connection } from "./connection.svelte.ts";
import type { Problems } from "./problems.svelte.ts";

export type Level = z.infer<typeof quantizationLevelsSchema>[number];

export class Quantizations {
  #list = $state.raw<readonly Quantization[]>([]);
  readonly #connection: Connection;
  readonly #problems: Problems;

  constructor(connection: Connection, problems: Problems) {
    this.#connection = connection;
    this.#problems = problems;
    connection.follow<Quantization[]>({
      open: (client, signal) => client.models.quantizations(undefined, { signal }),
      onEvent: (list) => {
        this.#list = list;
      },
    });
  }

  /** Oldest first, also those that have ended. */
  get list(): readonly Quantization[] {
    return this.#list;
  }

  /** From the finest to the coarsest. Throws CONNECTION_LOST. */
  levels(): Promise<Level[]> {
    return this.#connection.call((client) => client.models.levels());
  }

  /** Throws what the contract says. */
  plan(target: QuantizationTarget, signal: AbortSignal): Promise<QuantizationPlan> {
    return this.#connection.call((client) => client.models.planQuantization(target, { signal }));
  }

  /** Throws what the contract says. */
  async start(input: QuantizeInput): Promise<void> {
    await this.#connection.call((client) => client.models.quantize(input));
  }

  /** Ends it, or takes one that has ended off the list. */
  async remove(quantizationId: string): Promise<void> {
    await this.#problems.attempt(
      this.#connection.call((client) => client.models.cancelQuantization({ quantizationId })),
    );
  }
}
