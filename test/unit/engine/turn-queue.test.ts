import { describe, expect, test } from "vitest";
import { TurnQueue } from "../../../src-main/engine/turn-queue.ts";

const patient = () => new AbortController().signal;

test("work runs one at a time, in the order it came", async () => {
  const queue = new TurnQueue();
  const first = Promise.withResolvers<string>();
  const log: string[] = [];
  const results = [
    queue.run(patient(), async () => {
      log.push("first begins");
      await first.promise;
      log.push("first ends");
      return 1;
    }),
    queue.run(patient(), () => {
      log.push("second");
      return Promise.resolve(2);
    }),
  ];
  first.resolve("go");
  expect(await Promise.all(results)).toEqual([
    { started: true, result: 1 },
    { started: true, result: 2 },
  ]);
  expect(log).toEqual(["first begins", "first ends", "second"]);
});

test("work that fails lets the next one through", async () => {
  const queue = new TurnQueue();
  const failing = queue.run(patient(), () => Promise.reject(new Error("broken")));
  const next = queue.run(patient(), () => Promise.resolve("fine"));
  await expect(failing).rejects.toThrow("broken");
  expect(await next).toEqual({ started: true, result: "fine" });
});

describe("work that is given up while it waits", () => {
  test("never starts, is told at once, and does not let the next one in early", async () => {
    const queue = new TurnQueue();
    const controller = new AbortController();
    const running = Promise.withResolvers<undefined>();
    let isRunning = true;
    const first = queue.run(patient(), () => running.promise);
    const second = queue.run(controller.signal, () => Promise.reject(new Error("must not start")));
    const third = queue.run(patient(), () => Promise.resolve(isRunning));
    controller.abort();
    expect(await second).toEqual({ started: false });
    isRunning = false;
    running.resolve(undefined);
    await first;
    expect(await third).toEqual({ started: true, result: false });
  });

  test("never starts either when it was given up before it came", async () => {
    const result = await new TurnQueue().run(AbortSignal.abort(), () => Promise.reject(new Error("must not start")));
    expect(result).toEqual({ started: false });
  });
});

describe("idle work", () => {
  test("comes behind all others, also those that came later", async () => {
    const queue = new TurnQueue();
    const running = Promise.withResolvers<undefined>();
    const log: string[] = [];
    const note = (name: string) => () => {
      log.push(name);
      return Promise.resolve();
    };
    const all = [
      queue.run(patient(), () => running.promise),
      queue.runIdle(patient(), note("idle")),
      queue.run(patient(), note("answer")),
    ];
    expect(queue.isWanted).toBe(true);
    running.resolve(undefined);
    await Promise.all(all);
    expect(log).toEqual(["answer", "idle"]);
    expect(queue.isWanted).toBe(false);
  });

  test("that is given up while it waits never starts", async () => {
    const queue = new TurnQueue();
    const running = Promise.withResolvers<undefined>();
    const controller = new AbortController();
    const first = queue.run(patient(), () => running.promise);
    const idle = queue.runIdle(controller.signal, () => Promise.reject(new Error("must not start")));
    controller.abort();
    expect(await idle).toEqual({ started: false });
    running.resolve(undefined);
    await first;
  });
});
