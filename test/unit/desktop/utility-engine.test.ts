import { spawn } from "node:child_process";
import { once } from "node:events";
import { beforeEach, expect, test, vi } from "vitest";
import type { EngineProcess } from "../../../src-main/engine-host/engine-process.ts";
import type { ProcessExit } from "../../../src-main/engine-host/exit-cause.ts";
import { utilityEngine } from "../../../src-main/desktop/utility-engine.ts";
import * as electron from "../../helpers/fake-electron.ts";

vi.mock("electron", () => import("../../helpers/fake-electron.ts"));

let child: electron.FakeUtilityProcess;
beforeEach(() => {
  child = new electron.FakeUtilityProcess();
  electron.utilityProcess.fork.mockReset().mockReturnValue(child);
});

const launch = () => utilityEngine({ entry: "/app/engine.js", name: "Reprise engine" })();
const exitOf = (engine: EngineProcess) =>
  new Promise<ProcessExit>((resolve) => {
    engine.onExit(resolve);
  });

test("the engine runs in a utility process with the environment it needs", () => {
  launch();
  const [entry, , options] = electron.utilityProcess.fork.mock.calls[0] as unknown as [
    string,
    string[],
    { env: Record<string, string>; stdio: string[]; serviceName: string },
  ];
  expect(entry).toBe("/app/engine.js");
  expect(options.env).toMatchObject({ UV_THREADPOOL_SIZE: "1", GGML_NO_BACKTRACE: "1", PATH: process.env["PATH"] });
  expect(options.stdio).toEqual(["ignore", "ignore", "pipe"]);
  expect(options.serviceName).toBe("Reprise engine");
});

test("messages go both ways as they are", () => {
  const engine = launch();
  const listener = vi.fn();
  engine.onMessage(listener);
  engine.postMessage("question");
  child.emit("message", "answer");
  expect(child.postMessage).toHaveBeenCalledWith("question");
  expect(listener).toHaveBeenCalledWith("answer");
});

test("its process id is known once it has started", () => {
  const engine = launch();
  expect(engine.pid).toBeUndefined();
  child.pid = 4711;
  expect(engine.pid).toBe(4711);
});

test("its end is told once, with the end of what it wrote", async () => {
  const engine = launch();
  const exit = exitOf(engine);
  child.stderr.write("x".repeat(5_000));
  child.emit("exit", 134);
  child.stderr.end("GGML_ASSERT(n > 0) failed\n");
  child.stderr.destroy();
  const { code, output } = await exit;
  expect(code).toBe(134);
  expect(output).toHaveLength(4_096);
  expect(output).toMatch(/GGML_ASSERT\(n > 0\) failed\n$/);
});

test("a fatal error of V8 is part of what it wrote", async () => {
  const exit = exitOf(launch());
  child.emit("error", "FatalError", "v8::Heap", "{}");
  child.stderr.destroy();
  child.emit("exit", 5);
  expect((await exit).output).toBe("FatalError at v8::Heap\n");
});

test("its end is told even when something else holds its standard error open", async () => {
  const exit = exitOf(launch());
  child.emit("exit", 0);
  expect((await exit).code).toBe(0);
});

test("nothing can be sent to it after its end", () => {
  const engine = launch();
  child.emit("exit", 0);
  expect(() => {
    engine.postMessage("question");
  }).toThrow("ended");
});

test("it is killed at once, although it would not listen", async () => {
  const stubborn = spawn(process.execPath, ["-e", "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"]);
  await once(stubborn, "spawn");
  const engine = launch();
  child.pid = stubborn.pid;
  engine.kill();
  const [, signal] = (await once(stubborn, "exit")) as [number | null, string | null];
  expect(signal).toBe("SIGKILL");
  engine.kill();
});

test("killed before it has started, it ends as soon as it has", async () => {
  const late = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);
  await once(late, "spawn");
  launch().kill();
  child.pid = late.pid;
  child.emit("spawn");
  expect(((await once(late, "exit")) as [number | null, string | null])[1]).toBe("SIGKILL");
});
