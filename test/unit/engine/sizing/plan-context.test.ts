import { describe, expect, test } from "vitest";
import { memoryReserve } from "../../../../src-main/contract/machine-fit.ts";
import {
  largestContext,
  planContext,
  smallestContext,
  type ContextFacts,
} from "../../../../src-main/engine/sizing/plan-context.ts";

const mebibyte = 1 << 20;

/** A model of 64 KiB a token on a machine with 32 GiB free. */
function facts(changed: Partial<ContextFacts> = {}): ContextFacts {
  return {
    trainedTokens: 131_072,
    limitTokens: null,
    currentTokens: 0,
    neededTokens: 0,
    bytesPerToken: mebibyte / 16,
    fixedBytes: 100 * mebibyte,
    freeBytes: 32_768 * mebibyte,
    reserveBytes: 1_024 * mebibyte,
    ...changed,
  };
}

describe("the first context", () => {
  test("is comfortable, or what the model was trained for", () => {
    expect(planContext(facts())).toBe(8_192);
    expect(planContext(facts({ trainedTokens: 4_000 }))).toBe(4_000);
  });

  test("is as large as the prompt it is made for", () => {
    expect(planContext(facts({ neededTokens: 10_001 }))).toBe(10_240);
  });

  test("obeys the limit somebody set", () => {
    expect(planContext(facts({ limitTokens: 1_000 }))).toBe(1_000);
    expect(planContext(facts({ limitTokens: 20_000 }))).toBe(8_192);
  });

  test("is smaller where memory is short: what is left of it beside the reserve", () => {
    // 1,324 MiB less 1,024 for others and 100 for buffers: 200 MiB are 3,200 tokens.
    expect(planContext(facts({ freeBytes: 1_324 * mebibyte }))).toBe(3_072);
  });

  test("is tried with 2,048 however short memory is", () => {
    expect(planContext(facts({ freeBytes: 0 }))).toBe(2_048);
    expect(planContext(facts({ freeBytes: 0, limitTokens: 512 }))).toBe(512);
    expect(smallestContext(facts({ trainedTokens: 1_024 }))).toBe(1_024);
  });
});

describe("a context that is too small", () => {
  const small = facts({ currentTokens: 8_192, neededTokens: 8_193 });

  test("is doubled", () => {
    expect(planContext(small)).toBe(16_384);
  });

  test("becomes as large as it has to be where that is more", () => {
    expect(planContext({ ...small, neededTokens: 50_001 })).toBe(50_176);
  });

  test("becomes what the model was trained for, or as large as the limit, where that is less", () => {
    expect(planContext({ ...small, trainedTokens: 10_000 })).toBe(10_000);
    expect(planContext({ ...small, limitTokens: 9_000 })).toBe(9_000);
  });

  test("takes what memory leaves: what is free beside the reserve, and its own", () => {
    // 1,536 MiB: 1,024 for others, and 512 are 8,192 tokens more.
    expect(largestContext({ ...small, freeBytes: 1_536 * mebibyte })).toBe(16_384);
    expect(planContext({ ...small, freeBytes: 1_280 * mebibyte })).toBe(12_288);
  });

  test("stays where it could not become large enough", () => {
    expect(planContext({ ...small, freeBytes: 1_024 * mebibyte })).toBe(8_192);
    expect(planContext({ ...small, neededTokens: 200_000 })).toBe(8_192);
  });

  test("stays where it is not too small", () => {
    expect(planContext({ ...small, neededTokens: 8_192 })).toBe(8_192);
  });
});

test("a sixteenth of the machine is left to others, and never less than half a gigabyte", () => {
  expect(memoryReserve(4_096 * mebibyte)).toBe(512 * mebibyte);
  expect(memoryReserve(65_536 * mebibyte)).toBe(4_096 * mebibyte);
});
