/** What a row of the list says of one file. */
import type { EngineStatus } from "../../src-main/contract/app-status.ts";
import type { MemoryPlan } from "../../src-main/contract/memory-plan.ts";
import type { LoadedModel, ModelFile, ModelSource } from "../../src-main/contract/model.ts";
import { formatCount } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

/** `shorter`: with a shorter context than was asked for. */
type Fit = "fits" | "shorter" | "none";

export function fitOf({ missingBytes, maxTokensPerUser }: MemoryPlan): Fit {
  if (missingBytes === 0) return "fits";
  return maxTokensPerUser > 0 ? "shorter" : "none";
}

/** The longest context that fits: `71,680`, `4 × 17,920`; of what the model was trained for, no more. */
export function fittingText(plan: MemoryPlan): string {
  const { users, maxTokensPerUser, trainedContextTokens } = plan;
  if (maxTokensPerUser === 0) return m.fit_none();
  const isAll = trainedContextTokens !== null && maxTokensPerUser >= trainedContextTokens;
  const tokens = formatCount(isAll ? trainedContextTokens : maxTokensPerUser);
  const text = users === 1 ? tokens : m.fit_of_users({ users: formatCount(users), tokens });
  return isAll ? m.fit_all({ tokens: text }) : text;
}

/** What fits for one, and for as many as were asked for. */
export function fittingSentence(plan: MemoryPlan): string {
  const { users, maxTokens, maxTokensPerUser } = plan;
  if (maxTokens === 0) return m.fits_nothing();
  const tokens = formatCount(maxTokens);
  if (users === 1) return m.fits_one({ tokens });
  return m.fits_users({ tokens, users: formatCount(users), each: formatCount(maxTokensPerUser) });
}

/** Whose file it is. */
export function sourceName(source: ModelSource): string {
  switch (source) {
    case "own":
      return m.source_own();
    case "added":
      return m.source_added();
    case "lm-studio":
      return "LM Studio";
    case "jan":
      return "Jan";
    case "ollama":
      return "Ollama";
    case "hub-cache":
      return m.source_hub_cache();
    case "watched":
      return m.source_watched();
  }
}

/** The level as the file writes it, else the file's name. */
export function levelName({ summary, path }: Pick<ModelFile, "summary" | "path">): string {
  return summary?.quantization ?? fileName(path);
}

export function fileName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}

/** What is loaded of this file, where it is the model that answered last; else `null`. */
export function loadedModelOf(modelId: string, engine: EngineStatus | undefined): LoadedModel | null {
  return engine?.state === "ready" && engine.modelId === modelId ? engine.model : null;
}

/** Whether it is in memory, also beside the model that answered last. */
export function isInMemory(modelId: string, engine: EngineStatus | undefined): boolean {
  return engine?.state === "ready" && engine.residents.some((resident) => resident.modelId === modelId);
}
