/**
 * Runs the app on a data folder with the echo engine, begins an endless answer, and prints the ids and then every text
 * it is told of with the time of its own clock. Lives until it is killed.
 */
import { join } from "node:path";
import { writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createRouterClient } from "@orpc/server";
import { openReprise } from "../../src-main/app/compose.ts";
import type { AppClient } from "../../src-main/contract/app-contract.ts";
import { forkEngine } from "../../src-main/engine-host/fork-engine.ts";

const dataFolder = String(process.argv[2]);
const modelsFolder = join(dataFolder, "models");

function tell(line: object): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

const launchEngine = forkEngine({ entry: fileURLToPath(new URL("echo-engine.ts", import.meta.url)) });
const { router } = await openReprise({
  dataFolder,
  modelsFolder,
  host: "headless",
  version: "0.0.0",
  launchEngine,
  // Nothing is quantized here.
  launchQuantizer: launchEngine,
  defaultModelSource: {
    path: join(modelsFolder, "echo.gguf"),
    name: "Default",
    isPresent: () => Promise.resolve(true),
    fetch: () => Promise.resolve(),
  },
});
const client: AppClient = createRouterClient(router, { context: {} });
const { id: conversationId } = await client.conversations.create({});
const events = await client.chat.watch({ conversationId });
await events.next();
const { messageId, userMessageId } = await client.chat.send({ conversationId, text: "/count 1000000 1" });
tell({ messageId, userMessageId });
for await (const event of events) if (event.type === "delta") tell({ text: event.text, atMs: performance.now() });
