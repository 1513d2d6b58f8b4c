/** `npm run bench -- NAME [--json FILE] [--peer PATH] [--model PATH]`: measurements, apart from the tests. */
import { writeFile } from "node:fs/promises";
import { Argument, Command } from "commander";

interface BenchOptions {
  readonly json?: string;
  readonly peer?: string;
  readonly model?: string;
}

const benches = {
  decode: () => import("./decode.ts"),
  store: () => import("./store.ts"),
  ui: () => import("./ui.ts"),
} as const;

const program = new Command("bench")
  .description("Measures Reprise on this machine. Quote ratios of one run, not figures of two.")
  .addArgument(new Argument("<name>", "what to measure").choices(Object.keys(benches)))
  .option("--json <file>", "write the whole result there")
  .option("--peer <path>", "the peer's binary to measure in turn with ours (decode: llama-bench)")
  .option("--model <path>", "GGUF file to measure with; the default model otherwise")
  .action(async (name: keyof typeof benches, options: BenchOptions) => {
    const { run } = await benches[name]();
    const result = await run(options);
    if (options.json) await writeFile(options.json, `${JSON.stringify(result, null, 2)}\n`);
  });

await program.parseAsync();
