/** Answers the engine's contract: turns calls into work of the engine, and its errors into errors of the contract. */
import { implement } from "@orpc/server";
import type { CacheState } from "../contract/cache.ts";
import type {
  CompareEvent,
  EngineEvent,
  LoadEvent,
  PredictionEvent,
  RefillEvent,
} from "../contract/engine-contract.ts";
import { engineContract } from "../contract/engine-contract.ts";
import { toContractError } from "../contract/errors.ts";
import type { ResidentModel } from "../contract/model-switch.ts";
import type { Engine } from "./engine.ts";
import { EventChannel } from "./event-channel.ts";
import { engineLibrary } from "./llama/load-llama.ts";

const progressStep = 0.01;

/** `onShutdown` is called when everything is freed and the caller's answer is on its way. */
export function engineRouter(engine: Engine, onShutdown: () => void) {
  const procedures = implement(engineContract).use(async ({ next }) => {
    try {
      return await next();
    } catch (caught) {
      throw toContractError(caught);
    }
  });
  return procedures.router({
    ping: procedures.ping.handler(() => ({
      pid: process.pid,
      library: engineLibrary.name,
      release: engineLibrary.release,
    })),
    inspect: procedures.inspect.handler(({ input }) => engine.files.inspect(input.path)),
    details: procedures.details.handler(({ input }) => engine.files.details(input.path)),
    check: procedures.check.handler(({ input }) => engine.files.check(input.path)),
    plan: procedures.plan.handler(({ input }) => engine.files.plan(input)),
    load: procedures.load.handler(({ input, signal }) =>
      events<LoadEvent>(signal, async (send, abandoned) => {
        let reported = 0;
        const model = await engine.load(input, {
          signal: abandoned,
          onProgress: (fraction) => {
            if (fraction < reported + progressStep) return;
            reported = fraction;
            send({ type: "progress", fraction: Math.min(1, fraction) });
          },
        });
        send({ type: "loaded", model, residents: engine.cache.described });
      }),
    ),
    unload: procedures.unload.handler(() => engine.unload()),
    residents: procedures.residents.handler(({ signal }) =>
      events<ResidentModel[]>(signal, (send, abandoned) => engine.cache.watchModels(send, abandoned)),
    ),
    switchCost: procedures.switchCost.handler(({ input }) => engine.switchCost(input)),
    refill: procedures.refill.handler(({ input, signal }) =>
      events<RefillEvent>(signal, async (send, abandoned) => {
        const onStep = (doneTokens: number, totalTokens: number) => {
          send({ type: "progress", doneTokens, totalTokens });
        };
        send({ type: "done", ...(await engine.refill(input, onStep, abandoned)) });
      }),
    ),
    generate: procedures.generate.handler(({ input, signal }) =>
      events<EngineEvent>(signal, (send, abandoned) => engine.generate(input, { signal: abandoned, send })),
    ),
    compare: procedures.compare.handler(({ input, signal }) =>
      events<CompareEvent>(signal, (send, abandoned) => engine.compare(input, { signal: abandoned, send })),
    ),
    stop: procedures.stop.handler(({ input }) => {
      engine.stop(input.generationId);
    }),
    measure: procedures.measure.handler(({ input }) => engine.measure(input)),
    warm: procedures.warm.handler(({ input }) => engine.warm(input)),
    prepare: procedures.prepare.handler(({ input, signal }) => engine.prepare(input, signal)),
    templates: {
      use: procedures.templates.use.handler(({ input }) => engine.templates.use(input.chatTemplate)),
      preview: procedures.templates.preview.handler(({ input }) => engine.templates.preview(input)),
    },
    predict: procedures.predict.handler(({ input, signal }) =>
      events<PredictionEvent>(signal, (send, abandoned) => engine.predict(input, { signal: abandoned, send })),
    ),
    cache: {
      open: procedures.cache.open.handler(({ input }) => {
        engine.cache.open(input);
      }),
      watch: procedures.cache.watch.handler(({ signal }) =>
        events<CacheState>(signal, (send, abandoned) => engine.cache.watch(send, abandoned)),
      ),
      configure: procedures.cache.configure.handler(({ input }) => {
        engine.cache.configure(input);
      }),
      pin: procedures.cache.pin.handler(({ input }) => {
        engine.cache.pin(input.conversationIds);
      }),
      clear: procedures.cache.clear.handler(() => {
        engine.cache.store?.clear();
      }),
      verify: procedures.cache.verify.handler(() => engine.cache.verify()),
      selfTest: procedures.cache.selfTest.handler(({ input }) => engine.selfTest(input)),
      conversations: procedures.cache.conversations.handler(() => engine.cache.conversations),
      forget: procedures.cache.forget.handler(({ input }) => engine.forget(input.conversationId)),
    },
    shutdown: procedures.shutdown.handler(async () => {
      await engine[Symbol.asyncDispose]();
      setImmediate(onShutdown);
    }),
  });
}

/** What `work` sends, as a stream. A reader that goes away, or a caller that cancels, aborts the work. */
function events<Event>(
  signal: AbortSignal | undefined,
  work: (send: (event: Event) => void, abandoned: AbortSignal) => Promise<void>,
): EventChannel<Event> {
  const abandonment = new AbortController();
  const channel = new EventChannel<Event>(() => {
    abandonment.abort();
  });
  const abandoned = signal === undefined ? abandonment.signal : AbortSignal.any([signal, abandonment.signal]);
  work((event) => {
    channel.write(event);
  }, abandoned).then(
    () => {
      channel.close();
    },
    (caught: unknown) => {
      channel.close({ error: toContractError(caught) });
    },
  );
  return channel;
}
