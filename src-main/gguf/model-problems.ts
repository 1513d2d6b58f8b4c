/** Everything that is wrong with a GGUF file, as far as its header tells. Clauses that fit after "because". */
import type { GgufSummary } from "../contract/model.ts";
import { engineDemands } from "./engine-demands.ts";
import { GgufError } from "./file-window.ts";
import { ggufKind } from "./gguf-kind.ts";
import type { GgufParts } from "./gguf-parts.ts";
import { structureProblems } from "./gguf-structure.ts";
import { summarizeGguf, type EngineKnowledge } from "./gguf-summary.ts";

export interface Findings {
  /** `null` where it is no model that this engine can answer with. */
  readonly summary: GgufSummary | null;
  /** Nothing for a file that is whole; what a file of another kind is no fault of it. */
  readonly problems: readonly string[];
}

export function findings(parts: GgufParts, engine: EngineKnowledge): Findings {
  const [{ header }, ...others] = parts;
  const structure = structureProblems(parts, engine.tensorType);
  const kind = ggufKind(header);
  if (kind !== "model" && kind !== "other") return { summary: null, problems: structure };
  const files = others.map((part) => part.header);
  const { summary, problem } = trySummary(() => summaryOfParts(parts, engine));
  const all = [...(problem === null ? [] : [problem]), ...structure, ...engineDemands(header, files)];
  return { summary, problems: [...new Set(all)] };
}

/** What the model is. Throws GgufError with the first thing that is wrong with it, or that it is no model. */
export function summaryOf(parts: GgufParts, engine: EngineKnowledge): GgufSummary {
  const { summary, problems } = findings(parts, engine);
  if (problems[0] !== undefined) throw new GgufError(problems[0]);
  return summary ?? summaryOfParts(parts, engine);
}

function summaryOfParts([{ header, path }, ...others]: GgufParts, engine: EngineKnowledge): GgufSummary {
  return summarizeGguf(
    header,
    path,
    engine,
    others.map((part) => part.header),
  );
}

function trySummary(read: () => GgufSummary): { summary: GgufSummary | null; problem: string | null } {
  try {
    return { summary: read(), problem: null };
  } catch (caught) {
    if (caught instanceof GgufError) return { summary: null, problem: caught.message };
    throw caught;
  }
}
