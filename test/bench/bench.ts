/** `npm run bench -- NAME [--json FILE] [--peer PATH] [--model PATH]`: measurements, apart from the tests. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Argument, Command, InvalidArgumentError } from "commander";
import { syntheticModel } from "./synthetic-model.ts";

interface BenchOptions {
  readonly json?: string;
  readonly peer?: string;
  readonly model?: string;
  readonly rounds?: number;
  readonly only?: string[];
}

const benches = {
  decode: () => import("./decode.ts"),
  headers: () => import("./headers.ts"),
  store: () => import("./store.ts"),
  turns: () => import("./turns.ts"),
  ui: () => import("./ui.ts"),
} as const;

const program = new Command("bench")
  .description("Measures Reprise on this machine. Quote ratios of one run, not figures of two.")
  .addArgument(new Argument("<name>", "what to measure").choices(Object.keys(benches)))
  .option("--json <file>", "write the whole result there")
  .option("--peer <path>", "the peer's binary to measure in turn with ours (decode: llama-bench, turns: llama-server)")
  .option("--model <path>", "GGUF file, or “synthetic” for one of 0.5B's shape; the default model otherwise")
  .option("--rounds <n>", "decode, turns: how often each side is measured in turn", readRounds)
  .option("--only <scenario...>", "turns: only these scenarios")
  .action(async (name: keyof typeof benches, options: BenchOptions) => {
    const { run } = await benches[name]();
    await using synthetic = options.model === "synthetic" ? await syntheticModel() : null;
    const model = synthetic?.path ?? (options.model === undefined ? undefined : resolve(options.model));
    const result = await run({ ...options, ...(model !== undefined && { model }) });
    if (options.json) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
  });

function readRounds(text: string): number {
  const rounds = Number(text);
  if (!Number.isInteger(rounds) || rounds < 1) throw new InvalidArgumentError("It must be a whole number above 0.");
  return rounds;
}

await program.parseAsync();
