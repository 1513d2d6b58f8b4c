/** What a quantization would take and where it would go. It writes nothing but a probe of the folder. */
import { stat } from "node:fs/promises";
import { dirname, extname, isAbsolute, join, resolve } from "node:path";
import { RepriseError } from "../contract/errors.ts";
import { findLevel, type MakeableLevel } from "../contract/quantization-levels.ts";
import type { QuantizationPlan, QuantizationTarget } from "../contract/quantization.ts";
import type { PlanRequest } from "../contract/quantizer-messages.ts";
import { stampFile } from "./file-stamp.ts";
import type { ModelLocator } from "./model-locator.ts";
import { exists, freeBytesIn, isSameFile, isWritableFolder } from "./output-file.ts";
import type { Quantizer } from "./ports.ts";
import { quantizedName } from "./quantized-name.ts";

interface Dependencies {
  readonly locator: ModelLocator;
  readonly quantizer: Quantizer;
  readonly modelsFolder: string;
}

export interface PlannedQuantization {
  readonly plan: QuantizationPlan;
  /** What the quantizer is asked. */
  readonly request: PlanRequest;
}

export class QuantizationPlanner {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Throws NOT_FOUND, MODEL_MISSING, MODEL_INVALID, INVALID_INPUT, FOLDER_UNWRITABLE, QUANTIZE_FAILED. */
  async plan(target: QuantizationTarget, signal: AbortSignal): Promise<PlannedQuantization> {
    const level = levelNamed(target.level);
    const { source } = target;
    const { path: sourcePath, sizeBytes } = await stampFile(
      "path" in source ? resolve(source.path) : this.#parts.locator.byId(source.modelId).path,
    );
    const imatrixPath = target.imatrixPath ?? null;
    const request = {
      sourcePath,
      fileType: level.fileType,
      imatrixPath: imatrixPath === null ? null : resolve(imatrixPath),
    };
    const forecast = await this.#parts.quantizer.forecast(request, signal);
    const outputPath = await this.#outputPath(sourcePath, level, target.outputPath ?? null);
    const plan = {
      sourcePath,
      level: level.name,
      sourceBytes: sizeBytes,
      ...forecast,
      freeBytes: await freeBytesIn(dirname(outputPath)),
      outputPath,
      outputExists: await exists(outputPath),
    };
    return { plan, request };
  }

  async #outputPath(sourcePath: string, { name }: MakeableLevel, wanted: string | null): Promise<string> {
    const outputPath =
      wanted === null ? await this.#besideSource(sourcePath, name) : await inFolder(wanted, sourcePath, name);
    if (extname(outputPath).toLowerCase() !== ".gguf") {
      throw notAccepted(`${outputPath} does not end in .gguf, by which models are found`);
    }
    if (await isSameFile(sourcePath, outputPath)) throw notAccepted("a model cannot be quantized into its own file");
    const folder = dirname(outputPath);
    if (await isWritableFolder(folder)) return outputPath;
    const sentence = `Reprise cannot write to ${folder}. Make the folder writable, or choose another one.`;
    throw new RepriseError("FOLDER_UNWRITABLE", sentence, { path: folder, reason: "it cannot be written to" });
  }

  async #besideSource(sourcePath: string, level: string): Promise<string> {
    const folder = dirname(sourcePath);
    const writable = (await isWritableFolder(folder)) ? folder : this.#parts.modelsFolder;
    return join(writable, quantizedName(sourcePath, level));
  }
}

/** A folder that is there gets the file in it. */
async function inFolder(wanted: string, sourcePath: string, level: string): Promise<string> {
  if (!isAbsolute(wanted)) throw notAccepted(`${wanted} does not say in which folder`);
  const found = await stat(wanted).catch(() => null);
  return found?.isDirectory() === true ? join(wanted, quantizedName(sourcePath, level)) : wanted;
}

function levelNamed(name: string): MakeableLevel {
  const level = findLevel(name);
  if (level === null) throw notAccepted(`there is no level named ${name} (there are Q4_K_M, Q8_0 and others)`);
  return level;
}

function notAccepted(reason: string): RepriseError<"INVALID_INPUT"> {
  return new RepriseError("INVALID_INPUT", `This cannot be done: ${reason}. Nothing was written.`, { reason });
}
