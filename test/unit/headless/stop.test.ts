import { EventEmitter } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import { listenForStop, Stopped, unlessStopped } from "../../../src-main/headless/stop.ts";

function testProcess() {
  const exit = vi.fn<(code: number) => void>();
  const stdout = new EventEmitter();
  return Object.assign(new EventEmitter(), { exit, stdout });
}

describe("being asked to stop", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  test.each(["SIGINT", "SIGTERM", "SIGHUP"])("%s aborts the work with itself as the reason", (signal) => {
    const source = testProcess();
    const stop = listenForStop(source);
    expect(stop.aborted).toBe(false);
    source.emit(signal);
    expect(stop).toMatchObject({ aborted: true, reason: signal });
    expect(source.exit).not.toHaveBeenCalled();
  });

  test("the same key press, passed on by npm, does not count twice", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const source = testProcess();
    listenForStop(source);
    source.emit("SIGINT");
    vi.advanceTimersByTime(200);
    source.emit("SIGINT");
    expect(source.exit).not.toHaveBeenCalled();
  });

  test("a second request ends the process", () => {
    vi.useFakeTimers({ toFake: ["performance"] });
    const source = testProcess();
    listenForStop(source);
    source.emit("SIGINT");
    vi.advanceTimersByTime(800);
    source.emit("SIGINT");
    expect(source.exit).toHaveBeenCalledWith(130);
  });

  test("a reader of the output that has gone stops the work too", () => {
    const source = testProcess();
    const stop = listenForStop(source);
    source.stdout.emit("error", new Error("EPIPE"));
    expect(stop).toMatchObject({ aborted: true, reason: "output-closed" });
  });
});

describe("work that may be stopped", () => {
  test("gives its result, or its error, where nobody asks", async () => {
    const { signal } = new AbortController();
    await expect(unlessStopped(signal, "Stopped.", Promise.resolve(7))).resolves.toBe(7);
    await expect(unlessStopped(signal, "Stopped.", Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  });

  test("ends with a sentence and the shell's exit code as soon as it is asked to", async () => {
    const controller = new AbortController();
    const work = unlessStopped(controller.signal, "Stopped.", new Promise(() => undefined));
    controller.abort("SIGTERM");
    await expect(work).rejects.toMatchObject({ message: "Stopped.", exitCode: 143 });
    await expect(unlessStopped(controller.signal, "Again.", new Promise(() => undefined))).rejects.toThrow("Again.");
  });

  test("is silent and no failure where the reader had enough", () => {
    expect(new Stopped("output-closed", "Stopped.")).toMatchObject({ message: "", exitCode: 0 });
  });
});
