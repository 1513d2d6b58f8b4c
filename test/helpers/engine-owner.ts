/** Starts an engine (the entry file in its parameter, or else one that echoes), prints its process id, and lives until it is killed. */
import { fileURLToPath } from "node:url";
import { EngineSupervisor } from "../../src-main/engine-host/engine-supervisor.ts";
import { forkEngine } from "../../src-main/engine-host/fork-engine.ts";

const entry = process.argv[2] ?? fileURLToPath(new URL("echo-engine.ts", import.meta.url));
const supervisor = new EngineSupervisor({ launch: forkEngine({ entry }) });
const { processId } = await supervisor.engine();
process.stdout.write(`${processId}\n`);
