import { tmpdir } from "node:os";
import { describe, expect, test } from "vitest";
import { defaultStoreBudget, freeDiskBytes } from "../../../../src-main/engine/kv/store-budget.ts";

describe("the store's default budget", () => {
  test("is 8 GB on a large disk", () => {
    expect(defaultStoreBudget(500e9, 0)).toBe(8e9);
  });

  test("is a tenth of what is free on a small one", () => {
    expect(defaultStoreBudget(20e9, 0)).toBe(2e9);
    expect(defaultStoreBudget(0, 0)).toBe(0);
  });

  test("does not shrink because the store fills the disk", () => {
    expect(defaultStoreBudget(18e9, 2e9)).toBe(defaultStoreBudget(20e9, 0));
  });

  test("is 8 GB where nobody knows", () => {
    expect(defaultStoreBudget(null, 0)).toBe(8e9);
  });
});

test("what is free on a disk is asked of the system", () => {
  expect(freeDiskBytes(tmpdir())).toBeGreaterThan(0);
  expect(freeDiskBytes("/no/such/folder")).toBeNull();
});
