/**
 * Whether a file is built as the format demands: what its header says of its tensors, compared with itself and with the
 * file's size. Reads no tensor. Every problem is a clause that fits after "because", as GgufError's are.
 */
import { numberValue } from "./gguf-values.ts";
import type { GgufHeader, GgufTensor } from "./gguf-header.ts";
import type { GgufParts } from "./gguf-parts.ts";
import { shownText } from "./shown-text.ts";
import { elementsOf, tensorBytes, type TensorTypes } from "./tensor-bytes.ts";

/** llama.cpp keeps names in as many bytes, the last of them a zero. */
const mostNameBytes = 63;
/** Every further one says the same of another tensor. */
const mostProblems = 20;

/** Nothing for a whole model. At most 20. */
export function structureProblems(parts: GgufParts, tensorType: TensorTypes): string[] {
  const problems = parts.flatMap(({ header }) => [
    ...alignmentProblems(header),
    ...duplicates(header),
    ...placeProblems(header, tensorType),
  ]);
  return [...problems, ...splitProblems(parts)].slice(0, mostProblems);
}

function alignmentProblems(header: GgufHeader): string[] {
  const alignment = alignmentOf(header);
  const isPower = Number.isInteger(alignment) && Number.isInteger(Math.log2(alignment));
  return isPower ? [] : [`its alignment, ${alignment}, is not a power of two`];
}

function alignmentOf(header: GgufHeader): number {
  return numberValue(header, "general.alignment") ?? 32;
}

function duplicates({ tensors }: GgufHeader): string[] {
  const seen = new Set<string>();
  return tensors.flatMap(({ name }) => {
    if (seen.has(name)) return [`it has the tensor ${shownText(name)} twice`];
    seen.add(name);
    return [];
  });
}

/** The format packs tensors one behind the other, in the order of the header: that none lies in another follows. */
function placeProblems(header: GgufHeader, tensorType: TensorTypes): string[] {
  const alignment = alignmentOf(header);
  const problems: string[] = [];
  let expected: number | null = null;
  for (const tensor of header.tensors) {
    const shaped = shapeProblem(tensor, tensorType);
    if (shaped !== null) {
      problems.push(shaped);
      expected = null;
      continue;
    }
    const end = tensor.offsetBytes + tensorBytes(tensor, tensorType);
    if (tensor.offsetBytes % alignment !== 0)
      problems.push(`its tensor ${shownText(tensor.name)} begins between two places`);
    else if (expected !== null && tensor.offsetBytes !== expected)
      problems.push(
        `its tensor ${shownText(tensor.name)} lies ${tensor.offsetBytes < expected ? "in another one" : "too far behind the one before it"}`,
      );
    if (end > header.sizeBytes) problems.push(`its tensor ${shownText(tensor.name)} ends behind the end of the file`);
    expected = Math.ceil(end / alignment) * alignment;
  }
  return problems;
}

function shapeProblem(tensor: GgufTensor, tensorType: TensorTypes): string | null {
  const { shape } = tensor;
  const name = shownText(tensor.name);
  const type = tensorType(tensor.type);
  if (Buffer.byteLength(tensor.name) > mostNameBytes) return `its tensor ${name} has too long a name`;
  if (type === null) return `its tensor ${name} has a type unknown to this release of the engine`;
  if (shape.some((length) => length < 1)) return `its tensor ${name} is empty in one direction`;
  if (elementsOf(tensor) > Number.MAX_SAFE_INTEGER) return `its tensor ${name} claims more elements than can be`;
  if ((shape[0] ?? 1) % type.blockElements !== 0)
    return `its tensor ${name} has rows of ${shape[0] ?? 1} elements, which its type cannot hold`;
  return null;
}

function splitProblems(parts: GgufParts): string[] {
  const claimed = numberValue(parts[0].header, "split.tensors.count");
  const found = parts.reduce((sum, { header }) => sum + header.tensors.length, 0);
  return claimed === null || claimed === found ? [] : [`it claims ${claimed} tensors, and its parts hold ${found}`];
}
