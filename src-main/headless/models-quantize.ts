import { resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import type { AppClient } from "../contract/app-contract.ts";
import { errorFromView, RepriseError } from "../contract/errors.ts";
import { findLevel, quantizationLevels } from "../contract/quantization-levels.ts";
import type { Quantization, QuantizeInput } from "../contract/quantization.ts";
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { CommonValues } from "./grammar-parts.ts";
import type { CommonOptions } from "./invocation.ts";
import { modelsSubcommand } from "./models-subcommand.ts";
import { unlessStopped } from "./stop.ts";
import { print, printJson, ProgressLine } from "./terminal.ts";
import { formatSize } from "./text-format.ts";

interface QuantizeOptions extends CommonOptions {
  readonly path: string;
  readonly level: string;
  readonly imatrix: string | null;
  readonly output: string | null;
  readonly allowRequantize: boolean;
  readonly overwrite: boolean;
  readonly threads: number | null;
}

interface QuantizeValues extends CommonValues {
  readonly imatrix?: string;
  readonly output?: string;
  readonly allowRequantize?: true;
  readonly overwrite?: true;
  readonly threads?: number;
}

/** JSON: `{path, bytes, predictedBytes}`. */
export const quantizeModel = modelsSubcommand<QuantizeOptions, QuantizeValues>({
  grammar: "quantize <path> <level>",
  description: "make a smaller file of a model, such as Q4_K_M",
  configure: (command) => {
    command
      .option("--imatrix <file>", "an importance matrix, which the smallest levels need")
      .option("-o, --output <path>", "the new file, or the folder for it, instead of beside the model")
      .option("--allow-requantize", "also where the model has lost precision already")
      .option("--overwrite", "replace a file that is there")
      .option("--threads <n>", "compute on so many threads", readThreads)
      .addHelpText(
        "after",
        `\nLevels: ${quantizationLevels()
          .map(({ name }) => name)
          .join(", ")}.`,
      );
  },
  read: (common, [path = "", level = ""], values) => ({
    ...common,
    path,
    level: readLevel(level),
    imatrix: values.imatrix ?? null,
    output: values.output ?? null,
    allowRequantize: values.allowRequantize ?? false,
    overwrite: values.overwrite ?? false,
    threads: values.threads ?? null,
  }),
  run: quantize,
});

function readLevel(text: string): string {
  const level = findLevel(text);
  if (level === null)
    throw new InvalidArgumentError(`There is no level ${text}; reprise models quantize --help lists them.`);
  return level.name;
}

function readThreads(text: string): number {
  const threads = Number(text);
  if (Number.isInteger(threads) && threads >= 1 && threads <= 512) return threads;
  throw new InvalidArgumentError("Expected a whole number from 1 to 512.");
}

async function quantize(options: QuantizeOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, options.folders, { isShared: false });
  const { client } = app;
  const line = new ProgressLine(host.terminal);
  const started = await unlessStopped(
    host.stop,
    "Stopped. Nothing was written.",
    client.models.quantize(inputOf(options, host), { signal: host.stop }),
  );
  try {
    const work = untilEnded(client, started.id, ({ level, state, fraction, secondsLeft }) => {
      const left = secondsLeft === null ? "" : `, ${Math.ceil(secondsLeft)} s left`;
      line.show(
        state === "waiting"
          ? "Waiting for another quantization"
          : `Making ${level}: ${Math.floor(fraction * 100)} %${left}`,
      );
    });
    const { path, bytes, predictedBytes } = await unlessStopped(
      host.stop,
      "Stopped. Nothing of the quantization was kept.",
      work,
    );
    line.clear();
    if (options.json) printJson(host.terminal, { path, bytes, predictedBytes });
    else print(host.terminal, `${path} (${formatSize(bytes ?? 0)})\n`);
  } finally {
    line.clear();
    if (host.stop.aborted) await client.models.cancelQuantization({ quantizationId: started.id });
  }
}

function inputOf(options: QuantizeOptions, { machine }: CommandHost): QuantizeInput {
  const absolute = (path: string | null) => (path === null ? null : resolve(machine.workingFolder, path));
  const { level, allowRequantize, overwrite, threads } = options;
  return {
    source: { path: resolve(machine.workingFolder, options.path) },
    level,
    imatrixPath: absolute(options.imatrix),
    outputPath: absolute(options.output),
    allowRequantize,
    overwrite,
    threads,
  };
}

/** Throws why it failed. */
async function untilEnded(
  client: AppClient,
  id: string,
  onProgress: (quantization: Quantization) => void,
): Promise<Quantization> {
  for await (const all of await client.models.quantizations()) {
    const quantization = all.find((each) => each.id === id);
    if (quantization === undefined || quantization.state === "cancelled") throw cancelled();
    if (quantization.state === "done") return quantization;
    if (quantization.error !== null) throw errorFromView(quantization.error);
    onProgress(quantization);
  }
  throw new RepriseError(
    "CONNECTION_LOST",
    "Reprise was closed before the quantization was done. Nothing of it was kept.",
    {},
  );
}

function cancelled(): RepriseError<"QUANTIZE_FAILED"> {
  const sentence = "The quantization was cancelled by another window. Nothing of it was kept.";
  return new RepriseError("QUANTIZE_FAILED", sentence, { reason: "it was cancelled" });
}
