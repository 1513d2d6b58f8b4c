import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LossLog, type LossReason } from "../../../../src-main/engine/kv/loss-log.ts";
import { shortfallOf, type ShortfallInput } from "../../../../src-main/engine/kv/shortfall.ts";
import { tokens } from "../../../helpers/resident.ts";

const prompt = tokens(1_000);

function logOf(...losses: readonly { readonly from: number; readonly to: number; readonly reason: LossReason }[]) {
  const log = new LossLog({ maxTokens: 10_000, maxLosses: 16 });
  for (const { from, to, reason } of losses) log.note(tokens(to), from, reason);
  return log;
}

function shortfall(input: Partial<ShortfallInput>) {
  return shortfallOf({
    prompt,
    reusedTokens: 0,
    equalTokens: 0,
    residentTokens: 0,
    storedTokens: 0,
    switchedOffTokens: 0,
    staleTokens: 0,
    isRestoreDeclined: false,
    rule: { kind: "anywhere" },
    boundaryTokens: 0,
    losses: logOf(),
    ...input,
  });
}

describe("nothing is missing", () => {
  test("when all that was computed before was used", () => {
    expect(shortfall({ reusedTokens: 600, equalTokens: 600 })).toEqual({ kind: "none", tokens: 0 });
  });

  test("when only the token is computed again that always is", () => {
    expect(shortfall({ reusedTokens: 999, equalTokens: 1_000 })).toEqual({ kind: "none", tokens: 0 });
  });

  test("of what nobody has seen before", () => {
    expect(shortfall({})).toEqual({ kind: "none", tokens: 0 });
  });
});

describe("the log of losses explains", () => {
  test.each([
    ["evicted", { kind: "evicted" }],
    ["store-damaged", { kind: "store-damaged" }],
    ["store-stale", { kind: "store-stale" }],
    ["too-short", { kind: "never-stored", reason: "too-short" }],
    ["over-budget", { kind: "never-stored", reason: "over-budget" }],
    ["disk", { kind: "never-stored", reason: "disk" }],
    ["cancelled", { kind: "never-stored", reason: "cancelled" }],
  ] as const)("%s", (reason, cause) => {
    const losses = logOf({ from: 300, to: 700, reason });
    expect(shortfall({ reusedTokens: 300, equalTokens: 700, losses })).toEqual({ ...cause, tokens: 400 });
  });

  test("also what only the log remembers", () => {
    const losses = logOf({ from: 300, to: 700, reason: "evicted" });
    expect(shortfall({ reusedTokens: 300, losses })).toEqual({ kind: "evicted", tokens: 400 });
  });

  test("by the first missing token, without which the others are of no use", () => {
    const losses = logOf({ from: 500, to: 700, reason: "disk" }, { from: 300, to: 500, reason: "evicted" });
    expect(shortfall({ reusedTokens: 300, equalTokens: 700, losses })).toEqual({ kind: "evicted", tokens: 400 });
  });
});

describe("not-resumable", () => {
  const rule = { kind: "within-window", windowTokens: 100 } as const;

  test("what is in place where the model cannot go back to", () => {
    expect(shortfall({ rule, residentTokens: 400, equalTokens: 400 })).toEqual({ kind: "not-resumable", tokens: 400 });
  });

  test("what is in a snapshot that ends elsewhere", () => {
    expect(shortfall({ rule, storedTokens: 400, equalTokens: 400 })).toEqual({ kind: "not-resumable", tokens: 400 });
  });

  test("also where another one was removed, but not where the snapshot itself was damaged", () => {
    const snapshots = { rule, storedTokens: 400, equalTokens: 400 };
    const removed = logOf({ from: 0, to: 300, reason: "evicted" });
    expect(shortfall({ ...snapshots, losses: removed }).kind).toBe("not-resumable");
    const damaged = logOf({ from: 0, to: 400, reason: "store-damaged" });
    expect(shortfall({ ...snapshots, losses: damaged }).kind).toBe("store-damaged");
  });

  test("no snapshot ends with a block: what is behind one is not the rest of it", () => {
    const snapshots = { reusedTokens: 512, storedTokens: 512, equalTokens: 700 };
    expect(shortfall({ ...snapshots, rule }).kind).toBe("unknown");
  });
});

test("slower-than-computing: the store's tokens were left there", () => {
  const input = { storedTokens: 512, equalTokens: 512, isRestoreDeclined: true };
  expect(shortfall(input)).toEqual({ kind: "slower-than-computing", tokens: 512 });
});

describe("boundary", () => {
  const input = { reusedTokens: 512, storedTokens: 512, equalTokens: 700 };

  test("less than a block is missing behind the store's last whole block", () => {
    expect(shortfall(input)).toEqual({ kind: "boundary", tokens: 188 });
  });

  test("the system prompt's block may be shorter than the others, and those behind it begin there", () => {
    const behindSystem = { reusedTokens: 522, storedTokens: 522, equalTokens: 700, boundaryTokens: 10 };
    expect(shortfall(behindSystem)).toEqual({ kind: "boundary", tokens: 178 });
    expect(shortfall({ ...behindSystem, boundaryTokens: 0 })).toEqual({ kind: "unknown", tokens: 178 });
  });

  test("not where a whole block is missing, or the chain ends within one", () => {
    expect(shortfall({ ...input, equalTokens: 768 })).toEqual({ kind: "unknown", tokens: 256 });
    expect(shortfall({ ...input, reusedTokens: 500, storedTokens: 500 })).toEqual({ kind: "unknown", tokens: 200 });
  });

  test("not where the log has forgotten something, for it might have known better", () => {
    const losses = new LossLog({ maxTokens: 10, maxLosses: 1 });
    losses.note(tokens(20, 5_000), 0, "evicted");
    expect(shortfall({ ...input, losses })).toEqual({ kind: "unknown", tokens: 188 });
  });
});

test("evicted: it left the cells, and the store that has it is switched off", () => {
  expect(shortfall({ switchedOffTokens: 512 })).toEqual({ kind: "evicted", tokens: 512 });
});

test("store-stale: the store has it under other settings", () => {
  expect(shortfall({ staleTokens: 512 })).toEqual({ kind: "store-stale", tokens: 512 });
});

test("unknown is said where nothing explains it", () => {
  expect(shortfall({ equalTokens: 700 })).toEqual({ kind: "unknown", tokens: 700 });
});

test("whatever is known, the missing tokens are between what was used and the prompt's last", () => {
  const count = fc.nat({ max: 1_100 });
  fc.assert(
    fc.property(
      fc.nat({ max: 999 }),
      fc.tuple(count, count, count, count),
      fc.array(fc.record({ from: count, to: count, reason: fc.constantFrom<LossReason>("evicted", "disk") }), {
        maxLength: 3,
      }),
      (reusedTokens, [equalTokens, residentTokens, storedTokens, staleTokens], losses) => {
        const input = {
          reusedTokens,
          equalTokens,
          residentTokens,
          storedTokens,
          staleTokens,
          losses: logOf(...losses),
        };
        const { kind, tokens: missing } = shortfall(input);
        expect(missing).toBeGreaterThanOrEqual(0);
        expect(reusedTokens + missing).toBeLessThanOrEqual(prompt.length - 1);
        expect(kind === "none").toBe(missing === 0);
      },
    ),
    { numRuns: 500 },
  );
});
