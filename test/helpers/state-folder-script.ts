/** Holds a state's file open in the folder given, until it is killed. */
import { writeFileSync } from "node:fs";
import { StateFolder } from "../../src-main/engine/llama/state-folder.ts";

const folder = new StateFolder([String(process.argv[2])]);
await folder.use(10, async (path) => {
  writeFileSync(path, "a state");
  process.stdout.write(`${path}\n`);
  await new Promise((resolve) => setTimeout(resolve, 600_000));
});
