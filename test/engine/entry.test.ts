import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { connectEngine } from "../../src-main/engine-host/engine-connection.ts";
import type { EngineProcess } from "../../src-main/engine-host/engine-process.ts";
import { forkEngine } from "../../src-main/engine-host/fork-engine.ts";
import { startScript } from "../helpers/child-script.ts";
import { load, request, turn } from "../helpers/engine-turns.ts";
import { temporaryFolder } from "../helpers/temporary-folder.ts";
import { writeTinyGguf } from "../helpers/tiny-gguf.ts";

const entry = fileURLToPath(new URL("../../src-main/engine/entry.ts", import.meta.url));

/** The engine in a process of its own, which does not outlive the test. */
function startEngine() {
  const child = forkEngine({ entry })();
  const exit = new Promise<Parameters<Parameters<EngineProcess["onExit"]>[0]>[0]>((resolve) => {
    child.onExit(resolve);
  });
  onTestFinished(async () => {
    child.kill();
    await exit;
  });
  return { client: connectEngine(child).client, pid: child.pid ?? 0, exit };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // The system says so by an error: there is no such process.
    return false;
  }
}

test("it answers over process messages", async () => {
  const { client, pid } = startEngine();
  expect(await client.ping()).toMatchObject({ pid });
  await load(client, await writeTinyGguf(join(temporaryFolder(), "tiny.gguf")));
  const { text, answerTokens, deltaTokens, report } = await turn(client, request("hello", { maxTokens: 200 }));
  expect(text.length).toBeGreaterThan(0);
  expect(answerTokens).toEqual(deltaTokens);
  expect(report.outputTokens).toBe(200);
});

test("a call that is cancelled on the other side stops the answer", async () => {
  const { client } = startEngine();
  await load(client, await writeTinyGguf(join(temporaryFolder(), "tiny.gguf")), { contextTokens: 4_096 });
  const controller = new AbortController();
  const stream = await client.generate(request("hello", { maxTokens: null }), { signal: controller.signal });
  await stream.next();
  controller.abort();
  const { report } = await turn(client, request("water"));
  expect(report.context.usedTokens).toBeLessThan(100);
});

test("a stream left early stops the answer", async () => {
  const { client } = startEngine();
  await load(client, await writeTinyGguf(join(temporaryFolder(), "tiny.gguf")), { contextTokens: 4_096 });
  for await (const event of await client.generate(request("hello", { maxTokens: null }))) {
    if (event.type === "delta") break;
  }
  expect((await turn(client, request("water"))).report.context.usedTokens).toBeLessThan(100);
});

test("a shutdown is answered, frees everything and ends the process without an error", async () => {
  const { client, exit } = startEngine();
  await load(client, await writeTinyGguf(join(temporaryFolder(), "tiny.gguf")));
  await turn(client, request("hello"));
  await client.shutdown();
  expect(await exit).toMatchObject({ code: 0, signal: null });
});

test("a shutdown stops an answer that runs", async () => {
  const { client, exit } = startEngine();
  await load(client, await writeTinyGguf(join(temporaryFolder(), "tiny.gguf")), { contextTokens: 4_096 });
  const stream = await client.generate(request("hello", { maxTokens: null }));
  await stream.next();
  await client.shutdown();
  expect(await exit).toMatchObject({ code: 0 });
});

test("a shutdown after a load that failed is no different", async () => {
  const { client, exit } = startEngine();
  await expect(load(client, join(temporaryFolder(), "gone.gguf"))).rejects.toThrow();
  await client.shutdown();
  expect(await exit).toMatchObject({ code: 0 });
});

test.skipIf(process.platform === "win32")("Ctrl+C in the terminal is main's to answer", async () => {
  const { client, pid } = startEngine();
  await client.ping();
  process.kill(pid, "SIGINT");
  expect(await client.ping()).toMatchObject({ pid });
});

test("it ends with the process that started it, however that ended", async () => {
  const owner = startScript(new URL("../helpers/engine-owner.ts", import.meta.url), entry);
  const pid = Number(await owner.line());
  expect(isAlive(pid)).toBe(true);
  await owner.kill();
  await vi.waitUntil(() => !isAlive(pid), { timeout: 20_000 });
});

test("started by hand it says what it is and ends", async () => {
  const child = spawn(process.execPath, [entry], { stdio: ["ignore", "ignore", "pipe"] });
  const said: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => said.push(chunk));
  expect(await once(child, "close")).toEqual([2, null]);
  expect(Buffer.concat(said).toString()).toBe("The engine is started by Reprise, not by hand.\n");
});
