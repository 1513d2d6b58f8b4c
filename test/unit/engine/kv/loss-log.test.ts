import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { commonPrefixLength } from "../../../../src-main/engine/cache/reusable-tokens.ts";
import { LossLog, type LossReason } from "../../../../src-main/engine/kv/loss-log.ts";
import { tokens } from "../../../helpers/resident.ts";

const newLog = () => new LossLog({ maxTokens: 1_000, maxLosses: 8 });

test("says why a token is not there any more", () => {
  const log = newLog();
  log.note(tokens(100), 40, "evicted");
  expect(log.reasonAt(tokens(200), 40)).toBe("evicted");
  expect(log.reasonAt(tokens(200), 99)).toBe("evicted");
  expect(log.lostFrom(tokens(200), 60)).toBe(40);
});

test("knows nothing of tokens before, behind, or after other ones", () => {
  const log = newLog();
  log.note(tokens(100), 40, "evicted");
  expect(log.reasonAt(tokens(200), 39)).toBeNull();
  expect(log.reasonAt(tokens(200), 100)).toBeNull();
  expect(log.reasonAt([7, ...tokens(99)], 50)).toBeNull();
  expect(log.lostFrom(tokens(200), 100)).toBe(0);
});

test("the last reason counts", () => {
  const log = newLog();
  log.note(tokens(100), 40, "disk");
  log.note(tokens(60), 20, "evicted");
  expect(log.reasonAt(tokens(100), 50)).toBe("evicted");
  expect(log.reasonAt(tokens(100), 70)).toBe("disk");
});

describe("what can be had again", () => {
  test("is lost no longer", () => {
    const log = newLog();
    log.note(tokens(100), 40, "disk");
    log.settle(tokens(120));
    expect(log.reasonAt(tokens(100), 50)).toBeNull();
  });

  test("leaves the rest of a loss as it was", () => {
    const log = newLog();
    log.note(tokens(100), 40, "disk");
    log.settle([...tokens(70), 999]);
    expect(log.reasonAt(tokens(100), 69)).toBeNull();
    expect(log.reasonAt(tokens(100), 70)).toBe("disk");
  });
});

describe("its memory is bounded", () => {
  test("by tokens: the oldest is forgotten, and it is said", () => {
    const log = new LossLog({ maxTokens: 100, maxLosses: 8 });
    log.note(tokens(60), 0, "evicted");
    expect(log.hasForgotten).toBe(false);
    log.note(tokens(60, 500), 0, "disk");
    expect(log.hasForgotten).toBe(true);
    expect([log.reasonAt(tokens(60), 0), log.reasonAt(tokens(60, 500), 0)]).toEqual([null, "disk"]);
  });

  test("by how many there are", () => {
    const log = new LossLog({ maxTokens: 1_000, maxLosses: 2 });
    for (const first of [100, 200, 300]) log.note(tokens(5, first), 0, "cancelled");
    expect([100, 200, 300].map((first) => log.reasonAt(tokens(5, first), 2))).toEqual([null, "cancelled", "cancelled"]);
  });

  test("a single loss that is too large is forgotten at once", () => {
    const log = new LossLog({ maxTokens: 10, maxLosses: 2 });
    log.note(tokens(11), 0, "evicted");
    expect([log.reasonAt(tokens(11), 5), log.hasForgotten]).toEqual([null, true]);
  });
});

test("losing nothing is no loss", () => {
  const log = newLog();
  log.note(tokens(10), 10, "evicted");
  expect(log.lostFrom(tokens(20), 0)).toBe(0);
});

test("whatever was lost and had again, it says what a list of all losses says", () => {
  const ids = fc.array(fc.nat({ max: 1 }), { maxLength: 8 });
  const reason = fc.constantFrom<LossReason>("evicted", "disk", "cancelled", "over-budget");
  const event = fc.record({ ids, from: fc.nat({ max: 8 }), reason: fc.option(reason, { nil: null }) });
  fc.assert(
    fc.property(fc.array(event, { maxLength: 8 }), ids, (events, asked) => {
      const log = new LossLog({ maxTokens: 1_000, maxLosses: 100 });
      const naive: { ids: number[]; from: number; reason: LossReason }[] = [];
      for (const { ids: list, from, reason: why } of events) {
        if (why === null) {
          log.settle(list);
          for (const loss of naive) loss.from = Math.max(loss.from, commonPrefixLength(loss.ids, list));
        } else {
          log.note(list, from, why);
          naive.push({ ids: list, from, reason: why });
        }
      }
      for (const position of asked.keys()) {
        const last = naive.findLast((loss) => loss.from <= position && commonPrefixLength(loss.ids, asked) > position);
        expect(log.reasonAt(asked, position)).toBe(last?.reason ?? null);
      }
    }),
    { numRuns: 1_000 },
  );
});
