import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { defaultSampling } from "../../../src-main/contract/conversation.ts";
import { defaultLoadOptions } from "../../../src-main/contract/model-settings.ts";
import type { EngineClient } from "../../../src-main/engine-host/engine-connection.ts";
import { EngineSupervisor } from "../../../src-main/engine-host/engine-supervisor.ts";
import { forkEngine } from "../../../src-main/engine-host/fork-engine.ts";
import { startScript } from "../../helpers/child-script.ts";
import { collect } from "../../helpers/collect.ts";
import { echoEngines, isAlive } from "../../helpers/launch-echo-engine.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

function supervise(options: Partial<ConstructorParameters<typeof EngineSupervisor>[0]> = {}) {
  const { launch, launched } = echoEngines();
  const supervisor = new EngineSupervisor({ launch, ...options });
  return { supervisor, launched };
}

async function loadModel(client: EngineClient): Promise<void> {
  const cacheFolder = temporaryFolder();
  const path = join(cacheFolder, "model.gguf");
  writeFileSync(path, "GGUF");
  const store = { isEnabled: true, budgetBytes: null };
  await collect(await client.load({ path, options: defaultLoadOptions, tuning: null, cacheFolder, store, pinned: [] }));
}

function generate(client: EngineClient, text: string) {
  const messages = [{ role: "user", content: text, tokens: null } as const];
  const whose = { generationId: "g", conversationId: "c", kind: "turn", droppedMessages: 0 } as const;
  return client.generate({ ...whose, messages, sampling: defaultSampling });
}

test("the engine starts when it is first needed, and stays the same", async () => {
  const { supervisor, launched } = supervise();
  expect(launched).toHaveLength(0);
  const [one, other] = await Promise.all([supervisor.engine(), supervisor.engine()]);
  expect(one).toBe(other);
  expect(await one.client.ping()).toMatchObject({ pid: one.processId, library: "echo" });
  expect(launched).toHaveLength(1);
});

test("errors of the engine arrive with their code, sentence and data", async () => {
  const { supervisor } = supervise();
  const { client } = await supervisor.engine();
  await expect(client.inspect({ path: "/nowhere.gguf" })).rejects.toMatchObject({
    name: "RepriseError",
    code: "MODEL_MISSING",
    message: "There is no file at /nowhere.gguf.",
    data: { path: "/nowhere.gguf" },
  });
});

test("a crash gives what was written before it, then ends the stream and every open call", async () => {
  const { supervisor } = supervise();
  const { client } = await supervisor.engine();
  await loadModel(client);
  const waiting = generate(client, "/hold").then((events) => collect(events));
  const rejected = expect(waiting).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
  process.kill((await supervisor.engine()).processId, "SIGKILL");
  await rejected;

  const next = await supervisor.engine();
  await loadModel(next.client);
  const texts: string[] = [];
  const reading = (async () => {
    for await (const event of await generate(next.client, "/crash 50"))
      if (event.type === "delta") texts.push(event.text);
  })();
  await expect(reading).rejects.toMatchObject({
    code: "ENGINE_CRASHED",
    data: { cause: "it was ended by SIGABRT: /src/ggml.c:1: GGML_ASSERT(echo) failed" },
  });
  expect(texts).toHaveLength(50);
});

test("a dead engine refuses calls at once, and the next need starts another", async () => {
  const { supervisor } = supervise();
  const first = await supervisor.engine();
  const causes: string[] = [];
  const crashed = new Promise((resolve) => {
    supervisor.onCrash((cause) => {
      resolve(causes.push(cause));
    });
  });
  process.kill(first.processId, "SIGKILL");
  await crashed;
  await expect(first.client.ping()).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
  const second = await supervisor.engine();
  expect(second.processId).not.toBe(first.processId);
  expect(causes).toEqual(["it was killed (SIGKILL); the system may have run out of memory"]);
});

test("an engine whose event loop does not turn is ended and told of as hung", async () => {
  const { supervisor } = supervise({ heartbeat: { intervalMs: 250, missesAllowed: 20 } });
  const { client } = await supervisor.engine();
  await loadModel(client);
  const reading = generate(client, "/hang 3").then((events) => collect(events));
  await expect(reading).rejects.toMatchObject({ data: { cause: "it did not answer for 5 seconds and was ended" } });
});

test("an engine that cannot start says why, and is tried again", async () => {
  const { supervisor } = supervise({ launch: forkEngine({ entry: join(temporaryFolder(), "nothing.ts") }) });
  await expect(supervisor.engine()).rejects.toMatchObject({
    code: "ENGINE_CRASHED",
    message: expect.stringContaining("Cannot find module") as string,
  });
  await expect(supervisor.engine()).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
});

test("stopping ends the process by its own shutdown, and for good", async () => {
  const { supervisor, launched } = supervise();
  const { processId } = await supervisor.engine();
  const onCrash = vi.fn();
  supervisor.onCrash(onCrash);
  const exit = new Promise((resolve) => launched[0]?.onExit(resolve));
  await supervisor.stop();
  expect(isAlive(processId)).toBe(false);
  expect(await exit).toMatchObject({ code: 0, signal: null });
  expect(onCrash).not.toHaveBeenCalled();
  await expect(supervisor.engine()).rejects.toMatchObject({ code: "ENGINE_STOPPED" });
});

test("an engine that does not hear the shutdown is killed", async () => {
  const { supervisor } = supervise({ shutdownMs: 100 });
  const { client, processId } = await supervisor.engine();
  await loadModel(client);
  const reading = generate(client, "/hang 0").then((events) => collect(events));
  const rejected = expect(reading).rejects.toMatchObject({ code: "ENGINE_CRASHED" });
  await supervisor.stop();
  await rejected;
  expect(isAlive(processId)).toBe(false);
});

test("stopping while the engine starts leaves no process", async () => {
  const { supervisor, launched } = supervise();
  const starting = supervisor.engine().catch(() => undefined);
  await vi.waitUntil(() => launched.length === 1, { timeout: 10_000 });
  await supervisor.stop();
  await starting;
  expect(isAlive(Number(launched[0]?.pid))).toBe(false);
});

test("stopping an engine that was never needed starts none", async () => {
  const { supervisor, launched } = supervise();
  await supervisor.stop();
  expect(launched).toHaveLength(0);
});

test("kill -9 of main leaves no engine behind", async () => {
  const host = startScript(new URL("../../helpers/engine-owner.ts", import.meta.url));
  const engineId = Number(await host.line());
  expect(isAlive(engineId)).toBe(true);
  await host.kill();
  await vi.waitUntil(() => !isAlive(engineId), { timeout: 10_000 });
});
