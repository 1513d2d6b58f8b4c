import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { FetchStatus } from "../../../src-main/contract/app-status.ts";
import { withFetchLock } from "../../../src-main/models/fetch-lock.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

const halfway: FetchStatus = {
  state: "fetching",
  source: "hub",
  receivedBytes: 50,
  totalBytes: 100,
  secondsLeft: 3,
};

function lockPath(): string {
  return join(temporaryFolder(), "model.lock");
}

function options(
  onOtherStatus: (status: FetchStatus) => void = () => undefined,
  signal = new AbortController().signal,
) {
  return { onOtherStatus, signal, pollEveryMs: 1 };
}

function processThatEnded(): number {
  return spawnSync(process.execPath, ["--version"]).pid;
}

/** Resolves when it was entered; `leave` ends it. */
function holder(path: string) {
  const entered = Promise.withResolvers<(status: FetchStatus) => void>();
  const left = Promise.withResolvers<undefined>();
  const done = withFetchLock(path, options(), async (share) => {
    entered.resolve(share);
    await left.promise;
  });
  return {
    share: entered.promise,
    leave: () => {
      left.resolve(undefined);
    },
    done,
  };
}

test("the second waits until the first is done", async () => {
  const path = lockPath();
  const order: string[] = [];
  const first = holder(path);
  await first.share;
  const looked = Promise.withResolvers<undefined>();
  const second = withFetchLock(
    path,
    options(() => {
      looked.resolve(undefined);
    }),
    () => {
      order.push("second");
      return Promise.resolve();
    },
  );
  await looked.promise;
  order.push("first");
  first.leave();
  await Promise.all([first.done, second]);
  expect(order).toEqual(["first", "second"]);
});

test("who waits sees the progress of who holds it", async () => {
  const path = lockPath();
  const first = holder(path);
  (await first.share)(halfway);
  const seen = Promise.withResolvers<FetchStatus>();
  const show = (status: FetchStatus) => {
    if (status.state !== "none") seen.resolve(status);
  };
  const second = withFetchLock(path, options(show), () => Promise.resolve());
  expect(await seen.promise).toEqual(halfway);
  first.leave();
  await Promise.all([first.done, second]);
});

test("a lock whose process has ended is taken over", async () => {
  const path = lockPath();
  writeFileSync(path, JSON.stringify({ pid: processThatEnded(), host: hostname(), status: { state: "none" } }));
  await expect(withFetchLock(path, options(), () => Promise.resolve())).resolves.toBeUndefined();
});

test("a lock of another machine is taken over when nothing moves in it", async () => {
  const path = lockPath();
  writeFileSync(path, JSON.stringify({ pid: 1, host: "elsewhere", status: { state: "none" } }));
  await expect(withFetchLock(path, options(), () => Promise.resolve())).resolves.toBeUndefined();
});

test("a lock that was never written whole is taken over", async () => {
  const path = lockPath();
  writeFileSync(path, "");
  await expect(withFetchLock(path, options(), () => Promise.resolve())).resolves.toBeUndefined();
});

test("a failure gives the lock back", async () => {
  const path = lockPath();
  const failing = withFetchLock(path, options(), () => Promise.reject(new Error("no luck")));
  await expect(failing).rejects.toThrow("no luck");
  expect(existsSync(path)).toBe(false);
});

test("waiting can be cancelled", async () => {
  const path = lockPath();
  const first = holder(path);
  await first.share;
  const abort = new AbortController();
  const second = withFetchLock(
    path,
    options(() => {
      abort.abort();
    }, abort.signal),
    () => Promise.resolve(),
  );
  await expect(second).rejects.toMatchObject({ name: "AbortError" });
  first.leave();
  await first.done;
});
