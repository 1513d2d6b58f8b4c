/** What the model pill says: one state at a time, chosen from everything that may be going on. */
import type { AppStatus } from "../../src-main/contract/app-status.ts";
import type { ErrorView } from "../../src-main/contract/errors.ts";
import type { ModelFile } from "../../src-main/contract/model.ts";

export type PillState =
  /** Nothing has arrived from main yet. */
  | { readonly name: "unknown" }
  | { readonly name: "fetching"; readonly fraction: number; readonly secondsLeft: number | null }
  | { readonly name: "verifying" }
  | { readonly name: "fetch-failed"; readonly error: ErrorView }
  | { readonly name: "no-model" }
  | { readonly name: "loading"; readonly modelName: string; readonly fraction: number }
  | { readonly name: "engine-failed"; readonly modelName: string; readonly error: ErrorView }
  | { readonly name: "problem"; readonly modelName: string; readonly error: ErrorView }
  /** It is in memory. */
  | { readonly name: "ready"; readonly modelName: string; readonly quantization: string | null }
  /** It is loaded with the next message. */
  | { readonly name: "idle"; readonly modelName: string; readonly quantization: string | null };

/** `model`: the file this conversation uses; `null` where there is none, `undefined` while that is not known. */
export function pillState(status: AppStatus | null, model: ModelFile | null | undefined): PillState {
  if (status === null || model === undefined) return { name: "unknown" };
  const { engine, fetch } = status;
  if (model === null) return withoutModel(fetch);
  if (model.problem !== null) return { name: "problem", modelName: model.name, error: model.problem };
  if (engine.state === "loading" && engine.modelId === model.id) {
    return { name: "loading", modelName: model.name, fraction: engine.fraction };
  }
  if (engine.state === "failed") return { name: "engine-failed", modelName: model.name, error: engine.error };
  const isReady = engine.state === "ready" && engine.residents.some(({ modelId }) => modelId === model.id);
  return { name: isReady ? "ready" : "idle", modelName: model.name, quantization: model.summary?.quantization ?? null };
}

/** How much of the model is there, from 0 to 1. */
export function fetchedFraction(fetch: { readonly receivedBytes: number; readonly totalBytes: number }): number {
  return fetch.totalBytes === 0 ? 0 : fetch.receivedBytes / fetch.totalBytes;
}

function withoutModel(fetch: AppStatus["fetch"]): PillState {
  switch (fetch.state) {
    case "fetching":
      return {
        name: "fetching",
        fraction: fetchedFraction(fetch),
        secondsLeft: fetch.secondsLeft,
      };
    case "verifying":
      return { name: "verifying" };
    case "failed":
      return { name: "fetch-failed", error: fetch.error };
    case "none":
      return { name: "no-model" };
  }
}
