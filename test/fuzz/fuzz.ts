/** `npm run fuzz -- [--count N] [--first N] [--seed N]`: what the app does with damaged model files. */
import { parseArgs } from "node:util";
import { runFuzz, type Outcome } from "./fuzz-run.ts";
import { fuzzSeed } from "./mutants.ts";

const { values } = parseArgs({
  options: {
    count: { type: "string", default: "2000" },
    first: { type: "string", default: "0" },
    seed: { type: "string", default: String(fuzzSeed) },
    verbose: { type: "boolean", default: false },
  },
});

const kinds = ["answered", "refused", "failed", "crashed"] as const;
const startedAt = performance.now();
const outcomes = await runFuzz({
  seed: Number(values.seed),
  count: Number(values.count),
  first: Number(values.first),
  onOutcome: ({ number, kind, what, sentence }: Outcome) => {
    if (values.verbose || kind === "crashed") console.log(`${number} ${kind}: ${what}\n  ${sentence}`);
  },
});
const counts = kinds.map((kind) => `${outcomes.filter((outcome) => outcome.kind === kind).length} ${kind}`);
const seconds = Math.round((performance.now() - startedAt) / 1_000);
console.log(`${outcomes.length} files in ${seconds} s: ${counts.join(", ")}. The app survived them all.`);
