import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ProcessExit } from "../../../src-main/engine-host/exit-cause.ts";
import { forkEngine } from "../../../src-main/engine-host/fork-engine.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

/** Runs a script as the engine. Returns what it sent and how it ended. */
async function run(script: string): Promise<{ messages: unknown[]; exit: ProcessExit }> {
  const entry = join(temporaryFolder(), "engine.mjs");
  writeFileSync(entry, script);
  const engine = forkEngine({ entry })();
  const messages: unknown[] = [];
  engine.onMessage((message) => messages.push(message));
  const exit = await new Promise<ProcessExit>((resolve) => {
    engine.onExit(resolve);
  });
  expect(() => {
    engine.postMessage("anyone there?");
  }).toThrow("ended");
  return { messages, exit };
}

test("the engine has one worker thread for native calls, and no debugger is started on a crash", async () => {
  const { messages } = await run(`
    const { UV_THREADPOOL_SIZE, GGML_NO_BACKTRACE, PATH } = process.env;
    process.send({ UV_THREADPOOL_SIZE, GGML_NO_BACKTRACE, hasPath: PATH !== undefined });
    process.disconnect();
  `);
  expect(messages).toEqual([{ UV_THREADPOOL_SIZE: "1", GGML_NO_BACKTRACE: "1", hasPath: true }]);
});

test("all messages come before the exit, and the end of standard error with it", async () => {
  const { messages, exit } = await run(`
    for (let index = 0; index < 499; index += 1) process.send(index);
    process.send(499, () => process.disconnect());
    process.stderr.write("x".repeat(10_000) + "the end\\n");
    process.exitCode = 7;
  `);
  expect(messages).toHaveLength(500);
  expect(exit).toMatchObject({ code: 7, signal: null });
  expect(exit.output).toHaveLength(4_096);
  expect(exit.output).toMatch(/xthe end\n$/);
});
