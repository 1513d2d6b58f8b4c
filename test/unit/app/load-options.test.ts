import { expect, test, vi } from "vitest";
import { abortable } from "../../../src-main/app/abortable.ts";
import { EngineSession } from "../../../src-main/app/engine-session.ts";
import type { EngineClient, RunningEngine } from "../../../src-main/app/ports.ts";
import { ModelSpeeds } from "../../../src-main/app/model-speeds.ts";
import { Quarantine } from "../../../src-main/app/quarantine.ts";
import { StatusService } from "../../../src-main/app/status-service.ts";
import type { LoadEvent, LoadInput } from "../../../src-main/contract/engine-contract.ts";
import { defaultLoadOptions } from "../../../src-main/contract/model-settings.ts";
import { cacheOptions } from "../../helpers/engine-turns.ts";
import { writeModel } from "../../helpers/open-test-app.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

const { signal } = new AbortController();

/** A session with an engine that loads at once, the loads it was asked for, and options and a template that can be changed. */
function openSession() {
  const loads: LoadInput[] = [];
  const hold: Record<"load" | "template", Promise<unknown>> = { load: Promise.resolve(), template: Promise.resolve() };
  const stored = { options: defaultLoadOptions, chatTemplate: null as string | null };
  const used: (string | null)[] = [];
  const load = async (input: LoadInput, { signal: cancel }: { signal: AbortSignal }) => {
    loads.push(input);
    await abortable(hold.load, cancel);
    const summary = { name: "m", architecture: "llama", quantization: null, trainedContextTokens: null };
    const tuning = { prefill: 1, decode: 1, measured: [] };
    const model = {
      path: input.path,
      summary: { ...summary, layers: 1, sizeBytes: 4 },
      contextTokens: 8_192,
      flashAttention: true,
      tuning,
      loadMs: 1,
      template: "model",
    } as const;
    return [{ type: "loaded", model, residents: [] }] satisfies LoadEvent[];
  };
  const residents = () => Promise.resolve([]);
  const use = ({ chatTemplate }: { chatTemplate: string | null }) => {
    used.push(chatTemplate);
    return Promise.resolve({ template: "override", templateReason: null });
  };
  const client = { load, residents, templates: { use } } as unknown as EngineClient;
  const status = new StatusService({ version: "1", host: "headless", dataFolder: "/d", modelsFolder: "/m" });
  const engine: RunningEngine = { client, processId: 1 };
  const session = new EngineSession({
    supervisor: {
      engine: () => Promise.resolve(engine),
      onCrash: () => () => undefined,
      stop: () => Promise.resolve(),
    },
    status,
    speeds: new ModelSpeeds({ tuning: () => null, setTuning: () => undefined }),
    quarantine: new Quarantine({ get: () => null, add: fail, release: () => undefined }, fail),
    cacheOptions,
    chatTemplateOf: async () => {
      const { chatTemplate } = stored;
      await hold.template;
      return chatTemplate;
    },
    loadOptionsOf: () => stored.options,
  });
  const [model, other] = ["one", "other"].map((id) => ({ id, path: writeModel(temporaryFolder(), `${id}.gguf`) }));
  if (model === undefined || other === undefined) throw new Error("there are two models");
  return { session, status, loads, used, stored, hold, model, other };
}

function fail(): never {
  throw new Error("nobody asks for this");
}

test("a model is loaded with the file's options, and again at the next answer after they changed", async () => {
  const { session, loads, stored, model } = openSession();
  const answer = () => session.withModel(model, signal, () => Promise.resolve("answer"));
  await answer();
  await answer();
  stored.options = { ...defaultLoadOptions, keyType: "q8_0" };
  // What needs a loaded model has none until then.
  expect(await session.whereLoaded(model, signal, () => Promise.resolve("measured"))).toBeNull();
  await answer();
  expect(await session.whereLoaded(model, signal, () => Promise.resolve("measured"))).toBe("measured");
  await answer();
  expect(loads.map(({ path, options }) => [path, options.keyType])).toEqual([
    [model.path, "f16"],
    [model.path, "q8_0"],
  ]);
});

test("changed options wait for a running answer to end", async () => {
  const { session, loads, stored, model } = openSession();
  const running = Promise.withResolvers<string>();
  const began = Promise.withResolvers<undefined>();
  const first = session.withModel(model, signal, () => {
    began.resolve(undefined);
    return running.promise;
  });
  await began.promise;
  stored.options = { ...defaultLoadOptions, flashAttention: "off" };
  const second = session.withModel(model, signal, () => Promise.resolve(loads.length));
  // Not in its way either: what gives way to answers does not begin.
  expect(await session.besideAnswers(model, signal, () => Promise.resolve("beside"))).toBeNull();
  expect(loads).toHaveLength(1);
  running.resolve("the first");
  expect([await first, await second]).toEqual(["the first", 2]);
});

test("a model is loaded with its family's template, and a changed one is used without loading it again", async () => {
  const { session, status, loads, used, stored, model } = openSession();
  const answer = () => session.withModel(model, signal, () => Promise.resolve("answer"));
  stored.chatTemplate = "first";
  await answer();
  await answer();
  expect([loads.map(({ chatTemplate }) => chatTemplate), used]).toEqual([["first"], []]);
  stored.chatTemplate = "second";
  await answer();
  await answer();
  expect([loads.length, used]).toEqual([1, ["second"]]);
  expect(status.get().engine).toMatchObject({ state: "ready", model: { template: "override" } });
});

test("a changed template is taken up at once where the model is loaded, and otherwise when it is", async () => {
  const { session, loads, used, stored, model } = openSession();
  await session.refreshTemplate();
  await session.withModel(model, signal, () => Promise.resolve("answer"));
  stored.chatTemplate = "second";
  await session.refreshTemplate();
  await session.refreshTemplate();
  await session.withModel(model, signal, () => Promise.resolve("answer"));
  expect([loads.length, used]).toEqual([1, ["second"]]);
});

test("a template that is set while its model is being loaded is used from the first answer on", async () => {
  const { session, loads, used, stored, hold, model } = openSession();
  const loading = Promise.withResolvers<undefined>();
  hold.load = loading.promise;
  const answer = session.withModel(model, signal, () => Promise.resolve([...used]));
  await vi.waitUntil(() => loads.length === 1);
  stored.chatTemplate = "second";
  await session.refreshTemplate();
  loading.resolve(undefined);
  expect(await answer).toEqual(["second"]);
});

test("a model's template is not given to another one that was loaded meanwhile", async () => {
  const { session, loads, used, stored, hold, model, other } = openSession();
  await session.withModel(model, signal, () => Promise.resolve("answer"));
  const looking = Promise.withResolvers<undefined>();
  stored.chatTemplate = "of the first";
  hold.template = looking.promise;
  const refreshed = session.refreshTemplate();
  hold.template = Promise.resolve();
  stored.chatTemplate = null;
  await session.withModel(other, signal, () => Promise.resolve("answer"));
  looking.resolve(undefined);
  await refreshed;
  expect([loads.length, used]).toEqual([2, []]);
});

test("closing does not wait for a model that is being loaded", async () => {
  const { session, loads, hold, model } = openSession();
  hold.load = new Promise(() => undefined);
  const answer = session.withModel(model, signal, () => Promise.resolve("answer"));
  await vi.waitUntil(() => loads.length === 1);
  await session.stop();
  await expect(answer).rejects.toThrow();
});
