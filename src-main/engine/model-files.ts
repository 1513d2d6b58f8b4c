/**
 * Looks into model files that need not be loaded. In this process, because a stranger's file is read here: its reader is
 * bounded in time and memory, and what it cannot bear ends the child and nothing else.
 */
import type { MemoryPlan, ModelCheck, ModelDetails, PlanInput } from "../contract/memory-plan.ts";
import type { GgufSummary } from "../contract/model.ts";
import { checkModel, inspectModel } from "./llama/inspect-model.ts";
import { cacheBytesOf } from "./llama/kv-layout.ts";
import type { LoadedLlama } from "./llama/load-llama.ts";
import { modelDetails } from "./llama/model-details.ts";
import { planModel } from "./llama/model-plan.ts";
import type { ModelSession } from "./model-session.ts";

interface Surroundings {
  readonly library: () => Promise<LoadedLlama>;
  /** Those in memory. */
  readonly sessions: () => readonly ModelSession[];
}

export class ModelFiles {
  readonly #surroundings: Surroundings;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** Throws MODEL_MISSING or MODEL_INVALID. */
  async inspect(path: string): Promise<GgufSummary> {
    const { llama } = await this.#surroundings.library();
    return inspectModel(llama, path).summary;
  }

  /** Throws MODEL_MISSING or MODEL_INVALID. */
  async details(path: string): Promise<ModelDetails> {
    const { llama } = await this.#surroundings.library();
    return modelDetails(llama, path);
  }

  /** Throws MODEL_MISSING. */
  async check(path: string): Promise<ModelCheck> {
    const { llama } = await this.#surroundings.library();
    return checkModel(llama, path);
  }

  /** Throws MODEL_MISSING or MODEL_INVALID. */
  async plan(input: PlanInput): Promise<MemoryPlan> {
    const { llama } = await this.#surroundings.library();
    const session = this.#surroundings.sessions().find(({ description }) => description.path === input.path);
    return planModel(llama, input, session === undefined ? null : measuredMemory(session));
  }
}

function measuredMemory({ model, contextTokens }: ModelSession): MemoryPlan["measured"] {
  const { layout, allocatedBytes } = model.context;
  const cacheBytes = cacheBytesOf(layout);
  const computeBytes = Math.max(0, allocatedBytes - cacheBytes);
  return { contextTokens, weightsBytes: model.weightsBytes, cacheBytes, computeBytes };
}
