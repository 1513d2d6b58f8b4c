import { expect, test } from "vitest";
import { openTestStore } from "../../helpers/open-test-store.ts";

const file = { path: "/models/odd.gguf", stamp: "/models/odd.gguf|7|1", cause: "it was ended by SIGABRT" };

test("a file is kept with the cause, over a restart, until it is released", () => {
  const first = openTestStore();
  expect(first.quarantine.get(file.path)).toBeNull();
  first.quarantine.add(file);
  first.close();
  const { quarantine } = openTestStore(first.folder);
  expect(quarantine.get(file.path)).toEqual(file);
  quarantine.release(file.path);
  quarantine.release(file.path);
  expect(quarantine.get(file.path)).toBeNull();
});

test("of one path only the last content is kept", () => {
  const { quarantine } = openTestStore();
  quarantine.add(file);
  const changed = { ...file, stamp: "/models/odd.gguf|8|2", cause: "it was ended by SIGSEGV" };
  quarantine.add(changed);
  expect(quarantine.get(file.path)).toEqual(changed);
});
