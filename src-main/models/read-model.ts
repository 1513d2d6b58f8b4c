/** What a model file is, from the headers of its files. Synchronous: it runs in a worker of its own. */
import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import type { ModelFacts } from "../contract/model-library.ts";
import type { ModelKind } from "../contract/model.ts";
import { GgufError } from "../gguf/file-window.ts";
import type { GgufHeader } from "../gguf/gguf-header.ts";
import { ggufKind } from "../gguf/gguf-kind.ts";
import { readGgufParts, type GgufParts } from "../gguf/gguf-parts.ts";
import { summaryOf } from "../gguf/model-problems.ts";
import { engineTables } from "./engine-tables.ts";
import { familyTraits } from "./family.ts";
import { footprint } from "./footprint.ts";

/** What is wrong with the file is part of the result. Throws the system's error where it cannot be read. */
export function readModel(path: string): ModelFacts {
  let kind: ModelKind = "model";
  try {
    const parts = readGgufParts(path);
    const [{ header }] = parts;
    kind = kindOf(header);
    const summary = summaryOf(parts, engineTables);
    const traits = familyTraits(allTensors(parts), normDigest(parts));
    return { version: 2, kind, summary, reason: null, traits, footprint: footprint(parts) };
  } catch (caught) {
    if (!(caught instanceof GgufError)) throw caught;
    return { version: 2, kind, summary: null, reason: caught.message, traits: null, footprint: null };
  }
}

function kindOf(header: GgufHeader): ModelKind {
  const kind = ggufKind(header);
  return kind === "adapter" || kind === "projector" ? kind : "model";
}

function allTensors(parts: GgufParts): GgufHeader {
  return { ...parts[0].header, tensors: parts.flatMap(({ header }) => header.tensors) };
}

const bytesOfF32 = 4;
const largestNorm = 65_536;

/**
 * Of the model's last norm, which quantizing leaves as it is: levels of one model have it in common, whatever their
 * headers call them. A few kilobytes are read. `null` where it is missing or in another type.
 */
function normDigest(parts: GgufParts): string | null {
  for (const { path, header } of parts) {
    const norm = header.tensors.find(({ name }) => name === "output_norm.weight");
    const length = norm?.shape[0];
    if (norm === undefined || length === undefined) continue;
    if (norm.type !== 0 || norm.shape.length !== 1 || length > largestNorm) return null;
    return createHash("sha256")
      .update(readAt(path, norm.offsetBytes, length * bytesOfF32))
      .digest("hex");
  }
  return null;
}

function readAt(path: string, offsetBytes: number, sizeBytes: number): Buffer {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.alloc(sizeBytes);
    if (readSync(file, buffer, 0, sizeBytes, offsetBytes) < sizeBytes)
      throw new GgufError("it became shorter while it was read");
    return buffer;
  } finally {
    closeSync(file);
  }
}
