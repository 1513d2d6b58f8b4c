import { expect, test } from "vitest";
import { saysNotLocked } from "../../../../src-main/engine/llama/load-weights.ts";

test("weights that could not be locked are known by what llama.cpp says", () => {
  const refused =
    "warning: failed to mlock 897024-byte buffer (after previously locking 0 bytes): Operation not permitted";
  expect(saysNotLocked(["load_tensors: done", refused])).toBe(true);
  expect(saysNotLocked(["load_tensors: done"])).toBe(false);
});
