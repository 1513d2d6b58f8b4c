/** Starts a quantizer process on a file, prints its process id, and lives until it is killed. */
import { forkEngine } from "../../src-main/engine-host/fork-engine.ts";

const [entry = "", sourcePath, outputPath] = process.argv.slice(2);
const quantizer = forkEngine({ entry })();
// IQ4_NL: one of the slow ones.
quantizer.postMessage({ task: "quantize", sourcePath, fileType: 25, imatrixPath: null, outputPath, threads: 1 });
process.stdout.write(`${String(quantizer.pid)}\n`);
setInterval(() => undefined, 1_000);
