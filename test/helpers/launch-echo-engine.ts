import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { forkEngine } from "../../src-main/engine-host/fork-engine.ts";
import type { EngineProcess, LaunchEngine } from "../../src-main/engine-host/engine-process.ts";

// Processes start in these tests, on a machine that may be busy with others.
vi.setConfig({ testTimeout: 30_000 });

const launchEchoEngine = forkEngine({ entry: fileURLToPath(new URL("echo-engine.ts", import.meta.url)) });

/** Launches echo engines and remembers them; none outlives the test. */
export function echoEngines(): { launch: LaunchEngine; launched: EngineProcess[] } {
  const launched: EngineProcess[] = [];
  onTestFinished(() => {
    for (const engine of launched) engine.kill();
  });
  const launch = () => {
    const engine = launchEchoEngine();
    launched.push(engine);
    return engine;
  };
  return { launch, launched };
}

/** Whether a process of this id is there. */
export function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}
