/** What a quantized file is called. Pure. */
import { basename } from "node:path";
import { quantizationLevels } from "../contract/quantization-levels.ts";

const names = quantizationLevels().map(({ name }) => name);
const oldLevel = new RegExp(`[-._](${[...names, "FP16", "FP32"].join("|")})$`, "i");
const part = /-\d{5}-of-\d{5}$/;

/** The source's name with the level in place of its own: `Tiny-F16.gguf` becomes `Tiny-Q4_K_M.gguf`. */
export function quantizedName(sourcePath: string, level: string): string {
  const stem = basename(sourcePath)
    .replace(/\.gguf$/i, "")
    .replace(part, "");
  const separator = oldLevel.exec(stem)?.[0].startsWith(".") === true ? "." : "-";
  return `${stem.replace(oldLevel, "")}${separator}${level}.gguf`;
}
