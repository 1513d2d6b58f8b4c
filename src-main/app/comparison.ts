/** One comparison while it goes on, and what came of it. It owns the texts of both sides until one is kept or it is forgotten. */
import type { ComparisonEvent, ComparisonInput } from "../contract/comparison.ts";
import type { CompareEvent } from "../contract/engine-contract.ts";
import { newId } from "../contract/id.ts";
import type { EngineOutcome } from "./answer-end.ts";
import type { ModelReference } from "./model-locator.ts";

export interface ComparedSide {
  /** 0 or 1, as it was asked for. */
  readonly side: number;
  readonly model: ModelReference;
  text: string;
  /** `null` until it has ended, and where it failed. */
  outcome: EngineOutcome | null;
}

export class Comparison {
  readonly id = newId();
  readonly input: ComparisonInput;
  /** Behind which message the question stands; `null`: it is the first. */
  readonly parentId: string | null;
  readonly sides: readonly ComparedSide[];
  readonly #stopping = new AbortController();

  constructor(input: ComparisonInput, parentId: string | null, models: readonly ModelReference[]) {
    this.input = input;
    this.parentId = parentId;
    this.sides = models.map((model, side) => ({ side, model, text: "", outcome: null }));
  }

  /** Aborts when somebody asked for an end. */
  get stopSignal(): AbortSignal {
    return this.#stopping.signal;
  }

  stop(): void {
    this.#stopping.abort();
  }
}

/** Notes what the engine says of a side, and says it as it is told on; `null`: nothing is. */
export function noted(running: readonly ComparedSide[], event: CompareEvent): ComparisonEvent | null {
  const compared = event.type === "loading" ? undefined : running[event.side];
  if (event.type === "loading" || compared === undefined) return null;
  const { side } = compared;
  if (event.type === "failed") return { type: "failed", side, error: event.error };
  const { event: said } = event;
  switch (said.type) {
    case "prefill":
      return { ...said, side };
    case "delta":
      compared.text += said.text;
      return { type: "delta", side, text: said.text };
    case "done":
      compared.outcome = { answerTokens: said.answerTokens, report: said.report };
      return { type: "finished", side, report: said.report };
  }
}
