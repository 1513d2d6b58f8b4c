import { GgufError } from "../gguf/file-window.ts";
import { readGgufHeader, type GgufHeader } from "../gguf/gguf-header.ts";
import { numberValue } from "../gguf/gguf-values.ts";
import type { Override } from "./overrides.ts";
import { quantizeFailed } from "./quantize-failed.ts";

interface Expected {
  readonly fileType: number;
  readonly tensorCount: number;
  /** Of all behind the header. */
  readonly tensorsBytes: number;
  readonly overrides: readonly Override[];
}

/** What was written must be what was asked for, whatever the library says of it. Throws QUANTIZE_FAILED. */
export function checkResult(path: string, expected: Expected): void {
  const header = readResult(path);
  const firstTensor = Math.min(...header.tensors.map(({ offsetBytes }) => offsetBytes));
  const isAsAsked =
    numberValue(header, "general.file_type") === expected.fileType &&
    header.tensors.length === expected.tensorCount &&
    header.sizeBytes - firstTensor === expected.tensorsBytes &&
    expected.overrides.every(({ key, value }) => header.metadata.get(key) === value);
  if (!isAsAsked) throw quantizeFailed("what was written is not what was asked for, so it was thrown away");
}

function readResult(path: string): GgufHeader {
  try {
    return readGgufHeader(path);
  } catch (caught) {
    if (!(caught instanceof GgufError)) throw caught;
    throw quantizeFailed(`what was written is damaged (${caught.message}), so it was thrown away`);
  }
}
