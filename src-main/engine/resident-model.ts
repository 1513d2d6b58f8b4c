import type { ResidentModel } from "../contract/model-switch.ts";
import type { TurnReport } from "../contract/turn-report.ts";
import { cacheBytesOf } from "./llama/kv-layout.ts";
import type { ModelSession } from "./model-session.ts";
import { isUnknownHash } from "./unknown-hash.ts";

/** What a model in memory holds. */
export function residentModel(session: ModelSession, isActive: boolean): ResidentModel {
  const { description, cache } = session;
  const { counts } = cache.parts.stream;
  const inPlace = new Map<string, number>();
  for (const { role, conversationId, tokens } of cache.parts.tiers.residents) {
    if (role === "chat") inPlace.set(conversationId, Math.max(inPlace.get(conversationId) ?? 0, tokens.length));
  }
  return {
    path: description.path,
    isActive,
    ...modelBytes(session),
    contextTokens: session.contextTokens,
    usedCells: counts.total - counts.free,
    inPlace: [...inPlace].map(([conversationId, tokens]) => ({ conversationId, tokens })),
  };
}

type ModelBytes = Pick<ResidentModel, "weightsBytes" | "cacheBytes" | "computeBytes">;

function modelBytes({ model }: ModelSession): ModelBytes {
  const { layout, allocatedBytes } = model.context;
  // Where there was no memory for another context there is none.
  const cacheBytes = Math.min(cacheBytesOf(layout), allocatedBytes);
  return { weightsBytes: model.weightsBytes, cacheBytes, computeBytes: allocatedBytes - cacheBytes };
}

/** All that it takes. */
export function totalModelBytes(session: ModelSession): number {
  const { weightsBytes, cacheBytes, computeBytes } = modelBytes(session);
  return weightsBytes + cacheBytes + computeBytes;
}

/** As a report names it. */
export function reportedModel({ model, cache }: ModelSession): NonNullable<TurnReport["model"]> {
  const { name, quantization } = model.summary;
  const { weights } = cache.parts.fingerprintParts;
  return { name, level: quantization, weightsHash: isUnknownHash(weights) ? null : weights };
}
