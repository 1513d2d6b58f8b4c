/** Which part of a split model a file is, as llama.cpp names them; `null` where the model is one file. `part` counts from 1. */
export function readSplitName(fileName: string): { stem: string; part: number; count: number } | null {
  const [, stem, part, count] = /^(.*)-(\d{5})-of-(\d{5})\.gguf$/i.exec(fileName) ?? [];
  return stem === undefined ? null : { stem, part: Number(part), count: Number(count) };
}
