/**
 * The quantizer's process: main starts one for each file that is made or asked about, and ends it. It works in the
 * background, and goes with the process that started it, whatever ended that.
 */
import { rmSync } from "node:fs";
import { processPort } from "../child/process-port.ts";
import { quantizerRequestSchema, type QuantizerRequest } from "../contract/quantizer-messages.ts";
import { answerRequest } from "./answer-request.ts";
import { lowerPriority } from "./lower-priority.ts";

const port = processPort();
if (port === null) {
  process.stderr.write("The quantizer is started by Reprise, not by hand.\n");
  process.exit(2);
}
lowerPriority();
// A terminal sends these to the whole group, and main then decides what becomes of this.
for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => undefined);
let request: QuantizerRequest | null = null;
port.onDisconnect.addListener(() => {
  // Windows keeps a file that is open: main's next start takes it away.
  if (request?.task === "quantize" && process.platform !== "win32") rmSync(request.outputPath, { force: true });
  process.kill(process.pid, "SIGKILL");
});
port.onMessage.addListener((message) => {
  request = quantizerRequestSchema.parse(message);
  void answerRequest(request, (event) => {
    port.postMessage(event);
  });
});
