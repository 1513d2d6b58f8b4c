import type { GgufHeader, GgufTensor } from "./gguf-header.ts";
import { GgufError } from "./file-window.ts";
import { shownText } from "./shown-text.ts";

/** Elements and bytes of one block of a tensor type; `null` for a type that this release of the engine does not know. */
export type TensorTypes = (type: number) => { readonly blockElements: number; readonly blockBytes: number } | null;

/** Throws GgufError for a type that is not known. */
export function tensorBytes(tensor: GgufTensor, tensorType: TensorTypes): number {
  const type = tensorType(tensor.type);
  if (type === null)
    throw new GgufError(`its tensor ${shownText(tensor.name)} has a type unknown to this release of the engine`);
  return (elementsOf(tensor) / type.blockElements) * type.blockBytes;
}

/** Inexact above 2^53, which no file holds. */
export function elementsOf({ shape }: GgufTensor): number {
  return shape.reduce((product, length) => product * length, 1);
}

/** Bytes of all weights of a model. Throws GgufError for a type that is not known. */
export function weightsBytes(headers: readonly GgufHeader[], tensorType: TensorTypes): number {
  return headers.reduce(
    (sum, { tensors }) => sum + tensors.reduce((bytes, tensor) => bytes + tensorBytes(tensor, tensorType), 0),
    0,
  );
}
