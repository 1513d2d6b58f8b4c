/** The headers of a model that lies in several files, as llama.cpp names them. */
import { basename, dirname, join } from "node:path";
import { GgufError } from "../gguf/file-window.ts";
import { readGgufHeader, type GgufHeader } from "../gguf/gguf-header.ts";
import { numberValue } from "../gguf/gguf-values.ts";
import { isMissing } from "./storage-trouble.ts";

export interface PartHeader {
  readonly path: string;
  readonly header: GgufHeader;
}

const partName = /^(.+)-(\d{5})-of-(\d{5})\.gguf$/i;

/** Of one file, or of all in their order. Throws GgufError, and the system's error where the first cannot be read. */
export function readPartHeaders(path: string): [PartHeader, ...PartHeader[]] {
  const first = { path, header: readGgufHeader(path) };
  const count = numberValue(first.header, "split.count") ?? 1;
  if ((numberValue(first.header, "split.no") ?? 0) > 0)
    throw new GgufError("it is a part of a model; choose its first part");
  if (count <= 1) return [first];
  const [, stem, , named] = partName.exec(basename(path)) ?? [];
  if (stem === undefined || Number(named) !== count)
    throw new GgufError(`it is the first of ${count} parts of a model, and its name does not say where the others are`);
  const others = Array.from({ length: count - 1 }, (_, index) =>
    readPart(join(dirname(path), `${stem}-${String(index + 2).padStart(5, "0")}-of-${named}.gguf`)),
  );
  return [first, ...others];
}

function readPart(path: string): PartHeader {
  try {
    return { path, header: readGgufHeader(path) };
  } catch (caught) {
    if (isMissing(caught)) throw new GgufError(`it is incomplete: its part ${basename(path)} is missing`);
    if (caught instanceof GgufError)
      throw new GgufError(`its part ${basename(path)} cannot be used: ${caught.message}`);
    throw caught;
  }
}
