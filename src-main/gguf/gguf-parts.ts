/** A large model may lie in several files, of which the first names how many there are. */
import { basename, dirname, join } from "node:path";
import { GgufError } from "./file-window.ts";
import { readGgufHeader, type GgufHeader, type ReadHeaderOptions } from "./gguf-header.ts";
import { numberValue } from "./gguf-values.ts";

interface GgufPart {
  readonly path: string;
  readonly header: GgufHeader;
}

/** In order; one for a model of one file. The metadata that counts is the first one's. */
export type GgufParts = readonly [GgufPart, ...GgufPart[]];

const u16Type = 2;
const partTypes = new Map([
  ["split.no", u16Type],
  ["split.count", u16Type],
]);
const partName = /^(.+)-(\d{5})-of-(\d{5})\.gguf$/;

/**
 * Reads the headers of all files of a model. Throws GgufError where one is missing, damaged, or not the first, and the
 * system's error where the first cannot be read.
 */
export function readGgufParts(path: string, options: ReadHeaderOptions = {}): GgufParts {
  const first = { path, header: readGgufHeader(path, options) };
  const others = partPaths(path, first.header).slice(1);
  return [first, ...others.map((other, index) => readPart(other, index + 1, others.length + 1))];
}

/** Where a model's files are: `path` alone, or all of the model it is the first part of. Throws GgufError. */
export function partPaths(path: string, header: GgufHeader): readonly string[] {
  const count = numberValue(header, "split.count") ?? 1;
  const number = numberValue(header, "split.no") ?? 0;
  if (count <= 1 && number === 0) return [path];
  const [, start, written, of] = partName.exec(basename(path)) ?? [];
  if (number > 0) throw new GgufError(`it is part ${number + 1} of ${count} of a model${firstPartHint(start, of)}`);
  if (start === undefined || Number(written) !== 1 || Number(of) !== count) {
    const expected = `NAME-00001-of-${digits(count)}.gguf`;
    throw new GgufError(`it is the first of ${count} parts of a model, and must be called ${expected} to be found`);
  }
  const names = Array.from({ length: count }, (_, index) => `${start}-${digits(index + 1)}-of-${digits(count)}.gguf`);
  return names.map((name) => join(dirname(path), name));
}

function firstPartHint(start: string | undefined, of: string | undefined): string {
  return start === undefined || of === undefined ? "; choose its first part" : `; choose ${start}-00001-of-${of}.gguf`;
}

function digits(number: number): string {
  return String(number).padStart(5, "0");
}

function readPart(path: string, number: number, count: number): GgufPart {
  const header = tryRead(path);
  const says = numberValue(header, "split.no");
  if (says !== number || numberValue(header, "split.count") !== count)
    throw new GgufError(`its part ${basename(path)} belongs to another model`);
  return { path, header };
}

function tryRead(path: string): GgufHeader {
  try {
    return readGgufHeader(path, { demandedTypes: partTypes });
  } catch (caught) {
    if (caught instanceof GgufError) {
      throw new GgufError(`its part ${basename(path)} cannot be used: ${caught.message}`, { cause: caught });
    }
    const code = caught instanceof Error && "code" in caught ? caught.code : undefined;
    if (code !== "ENOENT") throw caught;
    throw new GgufError(`it is incomplete: its part ${basename(path)} is missing`, { cause: caught });
  }
}
