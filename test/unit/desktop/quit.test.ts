import { beforeEach, describe, expect, test, vi } from "vitest";
import { quitAfterClosing } from "../../../src-main/desktop/quit.ts";
import * as electron from "../../helpers/fake-electron.ts";
import { restoreSignalListeners } from "../../helpers/signal-listeners.ts";

vi.mock("electron", () => import("../../helpers/fake-electron.ts"));

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function willQuit(): boolean {
  const event = electron.fakeEvent({});
  electron.app.emit("will-quit", event);
  return event.defaultPrevented;
}

beforeEach(() => {
  electron.resetElectron();
  restoreSignalListeners();
});

describe("quitting", () => {
  test("waits until everything is closed", async () => {
    const closed = Promise.withResolvers<undefined>();
    const close = vi.fn(() => closed.promise);
    quitAfterClosing(Promise.resolve({ close }));
    expect(willQuit()).toBe(true);
    await vi.waitFor(() => {
      expect(close).toHaveBeenCalledOnce();
    });
    expect(electron.app.exit).not.toHaveBeenCalled();
    closed.resolve(undefined);
    await vi.waitFor(() => {
      expect(electron.app.exit.mock.calls).toEqual([[0]]);
    });
  });

  test("closes once, however often it is asked for", async () => {
    const close = vi.fn(() => Promise.resolve());
    quitAfterClosing(Promise.resolve({ close }));
    expect([willQuit(), willQuit()]).toEqual([true, true]);
    await vi.waitFor(() => {
      expect(electron.app.exit).toHaveBeenCalledOnce();
    });
    expect(close).toHaveBeenCalledOnce();
  });

  test("does not wait for ever", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      quitAfterClosing(Promise.resolve({ close: () => new Promise(() => undefined) }));
      willQuit();
      await vi.advanceTimersByTimeAsync(14_000);
      expect(electron.app.exit).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1_000);
      expect(electron.app.exit.mock.calls).toEqual([[0]]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("ends with code 1 when closing failed, and says why", async () => {
    const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    quitAfterClosing(Promise.resolve({ close: () => Promise.reject(new Error("the disk is full")) }));
    willQuit();
    await vi.waitFor(() => {
      expect(electron.app.exit.mock.calls).toEqual([[1]]);
    });
    expect(write).toHaveBeenCalledWith("Reprise did not close cleanly: the disk is full\n");
    write.mockRestore();
  });

  test("has nothing to close when the app did not open", async () => {
    quitAfterClosing(Promise.reject(new Error("locked")));
    willQuit();
    await vi.waitFor(() => {
      expect(electron.app.exit.mock.calls).toEqual([[0]]);
    });
  });

  test.each(signals)("is what %s does", (signal) => {
    quitAfterClosing(Promise.resolve({ close: () => Promise.resolve() }));
    process.emit(signal);
    expect(electron.app.quit).toHaveBeenCalledOnce();
  });

  test("is what the system shutting down does, after a word to wait", () => {
    quitAfterClosing(Promise.resolve({ close: () => Promise.resolve() }));
    const shutdown = electron.fakeEvent({});
    electron.powerMonitor.emit("shutdown", shutdown);
    expect(shutdown.defaultPrevented).toBe(true);
    expect(electron.app.quit).toHaveBeenCalledOnce();
  });
});
