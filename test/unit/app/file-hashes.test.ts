import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FileHashes } from "../../../src-main/app/file-hashes.ts";
import { stampFile, type FileStamp } from "../../../src-main/app/file-stamp.ts";
import { openTestStore } from "../../helpers/open-test-store.ts";
import { temporaryFolder } from "../../helpers/temporary-folder.ts";

async function written(name: string, sizeBytes: number): Promise<FileStamp> {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, Buffer.alloc(sizeBytes));
  return stampFile(path);
}

/** Every file takes two steps; `onStep` is called before each. */
function hashing(onStep: (path: string) => void | Promise<void> = () => undefined) {
  const store = openTestStore().modelFacts;
  const steps: string[] = [];
  const state = { quiet: Promise.resolve() };
  const onHashed = vi.fn<() => void>();
  const reader = {
    hashStep: async (path: string, isFirst: boolean) => {
      await onStep(path);
      steps.push(`${path} ${isFirst ? "first" : "next"}`);
      return isFirst ? null : `hash of ${path}`;
    },
  };
  const hashes = new FileHashes({ reader, store, quiet: () => state.quiet, onHashed });
  return { hashes, store, steps, state, onHashed };
}

test("one file after the other, what may be the same file first, then small ones; kept for the next start", async () => {
  const { hashes, store, steps, onHashed } = hashing();
  const files = await Promise.all([written("c", 9), written("a", 5), written("d", 9), written("b", 1)]);
  hashes.want(files);
  await vi.waitFor(() => {
    expect(onHashed).toHaveBeenCalledTimes(4);
  });
  const paths = [0, 2, 3, 1].map((index) => files[index]?.path);
  expect(steps).toEqual(paths.flatMap((path) => [`${path} first`, `${path} next`]));
  for (const file of files) expect(store.find(file).sha256).toBe(`hash of ${file.path}`);
  hashes.want(files);
  await hashes.close();
  expect(steps).toHaveLength(8);
});

test("what is wanted after nothing was is computed too", async () => {
  const { hashes, onHashed } = hashing();
  hashes.want([]);
  await new Promise((resolve) => setImmediate(resolve));
  hashes.want([await written("a", 1)]);
  await vi.waitFor(() => {
    expect(onHashed).toHaveBeenCalledOnce();
  });
  await hashes.close();
});

test("nothing is computed while an answer is being written, also within a file", async () => {
  const answer = Promise.withResolvers<undefined>();
  const { hashes, steps, state, onHashed } = hashing(() => {
    if (steps.length === 0) state.quiet = answer.promise.then(() => undefined);
  });
  const file = await written("a", 1);
  hashes.want([file]);
  await vi.waitFor(() => {
    expect(steps).toHaveLength(1);
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(hashes.known(file)).toBeNull();
  answer.resolve(undefined);
  await vi.waitFor(() => {
    expect(onHashed).toHaveBeenCalledOnce();
  });
  expect(hashes.known(file)).toBe(`hash of ${file.path}`);
  await hashes.close();
});

test("a file that changed meanwhile has no hash yet, and one that cannot be read does not stop the others", async () => {
  const [bad, changing, good] = await Promise.all([written("bad", 1), written("changing", 2), written("good", 3)]);
  const { hashes, onHashed } = hashing((path) => {
    if (path === bad.path) throw new Error("unreadable");
    if (path === changing.path) writeFileSync(path, "another content");
  });
  hashes.want([bad, changing, good]);
  await vi.waitFor(() => {
    expect(onHashed).toHaveBeenCalledOnce();
  });
  expect([bad, changing, good].map((file) => hashes.known(file) !== null)).toEqual([false, false, true]);
  await hashes.close();
});

test("closing ends it in the middle of a file, also while it waits for an answer", async () => {
  const { hashes, steps, state } = hashing();
  state.quiet = new Promise(() => undefined);
  const file = await written("a", 1);
  hashes.want([file]);
  await hashes.close();
  hashes.want([file]);
  expect(steps).toEqual([]);
});
