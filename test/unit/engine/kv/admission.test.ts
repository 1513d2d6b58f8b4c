import { describe, expect, test } from "vitest";
import { planAdmission } from "../../../../src-main/engine/kv/admission.ts";
import type { AdmissionRequest, AdmissionState, Admitted } from "../../../../src-main/engine/kv/admission-plan.ts";
import { CellLedger } from "../../../../src-main/engine/kv/cell-ledger.ts";
import type { Resident } from "../../../../src-main/engine/kv/resident.ts";
import { resident, tokens } from "../../../helpers/resident.ts";

/** Residents in cells: `shares` says of which other one, and how much, a sequence holds the beginning. */
interface Scene {
  readonly residents?: readonly Resident[];
  readonly shares?: ReadonlyMap<number, { readonly from: number; readonly length: number }>;
  readonly cells?: number;
  readonly state?: Partial<AdmissionState>;
}

function stateOf({ residents = [], shares = new Map(), cells = 1_000, state = {} }: Scene): AdmissionState {
  const ledger = new CellLedger(cells);
  for (const { sequence, tokens: ids } of residents) {
    const shared = shares.get(sequence);
    if (shared !== undefined) ledger.share(shared.from, sequence, shared.length);
    ledger.append(sequence, ids.length - (shared?.length ?? 0));
  }
  return {
    ledger,
    residents,
    stored: null,
    rule: { kind: "anywhere" },
    costs: { prefill: { msPerToken: 5, msPerTokenAndDepth: 0 }, restore: { fixedMs: 20, msPerToken: 0.02 } },
    restoresBehind: true,
    maxParkedCells: 200,
    window: null,
    nowMs: 0,
    halfLifeMs: 1_000,
    ...state,
  };
}

function plan(prompt: readonly number[], scene: Scene, request: Partial<AdmissionRequest> = {}) {
  const whole = { kind: "turn", conversationId: "chat", owner: "chat", prompt, reserveTokens: 64, ...request } as const;
  return planAdmission(whole, stateOf(scene));
}

function admittedPlan(...given: Parameters<typeof plan>): Admitted {
  const decided = plan(...given);
  if (decided.kind === "refused") throw new Error(`refused: ${decided.reason}`);
  return decided;
}

const chat = tokens(100);

describe("a turn of the active conversation", () => {
  test("that goes on computes only what is new", () => {
    const { steps, origins } = admittedPlan([...chat, 7, 8], { residents: [resident(0, chat)] });
    expect(steps).toEqual([{ kind: "compute", from: 100, to: 102 }]);
    expect(origins).toEqual({ fromResident: 100, fromShared: 0, fromStore: 0, toCompute: 2 });
  });

  test("that asks for another answer parks the one there is, without moving anything", () => {
    const { steps, dropped } = admittedPlan(tokens(80), { residents: [resident(0, chat)] });
    expect(steps).toEqual([
      { kind: "copy", source: 0, target: 1 },
      { kind: "truncate", sequence: 0, length: 79 },
      { kind: "compute", from: 79, to: 80 },
    ]);
    expect(dropped).toEqual([]);
  });

  test("that returns to a parked branch parks the branch it leaves", () => {
    const branch = [...tokens(50), ...tokens(30, 500)];
    const { steps } = admittedPlan([...branch, 7], {
      residents: [resident(0, chat), resident(1, branch)],
      shares: new Map([[1, { from: 0, length: 50 }]]),
    });
    expect(steps).toEqual([
      { kind: "copy", source: 0, target: 2 },
      { kind: "release", sequence: 0 },
      { kind: "copy", source: 1, target: 0 },
      { kind: "release", sequence: 1 },
      { kind: "compute", from: 80, to: 81 },
    ]);
  });

  test("whose branch is too long to be parked hands it to the store", () => {
    const { steps, dropped } = admittedPlan([...tokens(10), 7], {
      residents: [resident(0, chat, { storedTokens: 60 })],
      state: { maxParkedCells: 89 },
    });
    expect(steps).toEqual([
      { kind: "store", from: 60, to: 100 },
      { kind: "truncate", sequence: 0, length: 10 },
      { kind: "compute", from: 10, to: 11 },
    ]);
    expect(dropped).toMatchObject([{ from: 10, to: 100, reason: "replaced" }]);
  });

  test("does not keep a draft that was edited", () => {
    const draft = resident(0, [...chat, 1, 2, 3], { keptTokens: 100 });
    const { steps, dropped } = admittedPlan([...chat, 1, 9], { residents: [draft] });
    expect(steps).toEqual([
      { kind: "truncate", sequence: 0, length: 101 },
      { kind: "compute", from: 101, to: 102 },
    ]);
    expect(dropped).toEqual([]);
  });

  test("parks the branch without the draft behind it", () => {
    const draft = resident(0, [...chat, 1, 2, 3], { keptTokens: 100 });
    const { steps } = admittedPlan([...tokens(90), 7], { residents: [draft] });
    expect(steps.slice(0, 2)).toEqual([
      { kind: "copy", source: 0, target: 1 },
      { kind: "truncate", sequence: 1, length: 100 },
    ]);
  });

  test("drops the least used branch when the parked cells get too many", () => {
    const residents = [
      resident(0, chat),
      resident(1, [...tokens(40), ...tokens(80, 500)], { use: { score: 1, atMs: 1 } }),
      resident(2, [...tokens(40), ...tokens(80, 700)], { use: { score: 5, atMs: 2 } }),
    ];
    const shared = { from: 0, length: 40 };
    const { steps, dropped } = admittedPlan([...tokens(50), 7], {
      residents,
      shares: new Map([
        [1, shared],
        [2, shared],
      ]),
    });
    expect(steps).toContainEqual({ kind: "release", sequence: 1 });
    expect(dropped).toMatchObject([{ resident: { sequence: 1 }, from: 40, to: 120, reason: "evicted" }]);
  });

  test("always has a token to compute", () => {
    expect(admittedPlan(chat, { residents: [resident(0, chat)] }).steps).toEqual([
      { kind: "truncate", sequence: 0, length: 99 },
      { kind: "compute", from: 99, to: 100 },
    ]);
  });
});

describe("a turn of another conversation", () => {
  const other = { conversationId: "other", owner: "other" };

  test("uses the beginning that both have, hands the rest to the store, and parks nothing", () => {
    const residents = [resident(0, chat), resident(1, [...tokens(90), 7])];
    const shares = new Map([[1, { from: 0, length: 90 }]]);
    const { steps, origins } = admittedPlan([...tokens(30), 8], { residents, shares }, other);
    expect(steps).toEqual([
      { kind: "store", from: 0, to: 100 },
      { kind: "truncate", sequence: 0, length: 30 },
      { kind: "release", sequence: 1 },
      { kind: "compute", from: 30, to: 31 },
    ]);
    expect(origins).toEqual({ fromResident: 0, fromShared: 30, fromStore: 0, toCompute: 1 });
  });

  test("comes back from the store", () => {
    const stored = {
      length: 400,
      owners: [
        { owner: "chat", tokens: 30 },
        { owner: "other", tokens: 370 },
      ],
    };
    const { steps, origins } = admittedPlan(
      [...tokens(30), ...tokens(380, 500)],
      { residents: [resident(0, chat, { storedTokens: 100 })], state: { stored, restoresBehind: false } },
      other,
    );
    expect(steps).toEqual([
      { kind: "release", sequence: 0 },
      { kind: "restore", from: 0, to: 400 },
      { kind: "compute", from: 400, to: 410 },
    ]);
    expect(origins).toEqual({ fromResident: 0, fromShared: 30, fromStore: 370, toCompute: 10 });
  });

  test("restores only what is not in place already, where that can be done", () => {
    const stored = { length: 400, owners: [{ owner: "other", tokens: 400 }] };
    const { steps, origins } = admittedPlan(
      [...tokens(30), ...tokens(380, 500)],
      { residents: [resident(0, chat, { storedTokens: 100 })], state: { stored } },
      other,
    );
    expect(steps).toEqual([
      { kind: "truncate", sequence: 0, length: 30 },
      { kind: "restore", from: 30, to: 400 },
      { kind: "compute", from: 400, to: 410 },
    ]);
    expect(origins).toEqual({ fromResident: 0, fromShared: 30, fromStore: 370, toCompute: 10 });
  });

  test("is computed where restoring costs more", () => {
    const stored = { length: 400, owners: [{ owner: "other", tokens: 400 }] };
    const costs = { prefill: { msPerToken: 0.5, msPerTokenAndDepth: 0 }, restore: { fixedMs: 50, msPerToken: 0.6 } };
    const { steps, declined } = admittedPlan(tokens(500, 500), { state: { stored, costs } }, other);
    expect(steps).toEqual([{ kind: "compute", from: 0, to: 500 }]);
    expect(declined).toEqual({ from: 0, to: 400, restoreMs: 290, computeMs: 200 });
  });
});

describe("a side prompt", () => {
  const side = { kind: "side", owner: "title", reserveTokens: 16 } as const;

  test("leaves the chat parked, shares its beginning, and puts it back", () => {
    const { steps, after } = admittedPlan([...tokens(60), 7], { residents: [resident(0, chat)] }, side);
    expect(steps).toEqual([
      { kind: "copy", source: 0, target: 1 },
      { kind: "truncate", sequence: 0, length: 60 },
      { kind: "compute", from: 60, to: 61 },
    ]);
    expect(after).toEqual([
      { kind: "release", sequence: 0 },
      { kind: "copy", source: 1, target: 0 },
      { kind: "release", sequence: 1 },
    ]);
  });

  test("may park more than a turn may, since no answer of the chat is written meanwhile", () => {
    const scene = { residents: [resident(0, chat)], state: { maxParkedCells: 0 } };
    expect(plan(tokens(20, 500), scene, side).kind).toBe("admitted");
  });

  test("waits when the chat leaves no room, instead of evicting it or its branches", () => {
    const residents = [resident(0, chat), resident(1, [...tokens(20), ...tokens(80, 500)])];
    const scene = { residents, shares: new Map([[1, { from: 0, length: 20 }]]), cells: 215 };
    expect(plan(tokens(20, 800), scene, side)).toEqual({ kind: "refused", reason: "no-room" });
    expect(plan(tokens(19, 800), scene, side).kind).toBe("admitted");
  });

  test("waits where the model's cells cannot be parked", () => {
    const scene = { residents: [resident(0, chat)], state: { rule: { kind: "only-at-end" } as const } };
    expect(plan(tokens(20, 500), scene, side)).toEqual({ kind: "refused", reason: "cannot-park" });
  });

  test("runs without a chat in place, and leaves nothing", () => {
    const { steps, after } = admittedPlan(tokens(20), {}, side);
    expect(steps).toEqual([{ kind: "compute", from: 0, to: 20 }]);
    expect(after).toEqual([{ kind: "release", sequence: 0 }]);
  });

  test("must find room in a window's layers too, beside the chat's window", () => {
    const state = {
      rule: { kind: "within-window", windowTokens: 64 },
      window: { cells: 128, chunkTokens: 32 },
    } as const;
    const scene = { residents: [resident(0, chat)], state };
    expect(plan(tokens(48, 500), scene, side).kind).toBe("admitted");
    expect(plan(tokens(49, 500), scene, side)).toEqual({ kind: "refused", reason: "no-room" });
  });

  test("shares nothing with the chat where a window's layers would be lost to both", () => {
    const state = { rule: { kind: "within-window", windowTokens: 8 }, window: { cells: 64, chunkTokens: 32 } } as const;
    const { steps } = admittedPlan([...chat, 7], { residents: [resident(0, chat)], state }, side);
    expect(steps).toEqual([
      { kind: "copy", source: 0, target: 1 },
      { kind: "release", sequence: 0 },
      { kind: "compute", from: 0, to: 101 },
    ]);
  });
});

describe("is refused, and nothing changes,", () => {
  test("without any token", () => {
    expect(plan([], {})).toEqual({ kind: "refused", reason: "empty" });
  });

  test("while the active sequence generates", () => {
    const scene = { residents: [resident(0, chat, { isPinned: true })] };
    expect(plan(tokens(5), scene)).toEqual({ kind: "refused", reason: "in-use" });
  });

  test("what never fits", () => {
    expect(plan(tokens(937), {})).toEqual({ kind: "refused", reason: "too-long" });
    expect(plan(tokens(936), {}).kind).toBe("admitted");
  });

  test("what does not fit beside pinned cells", () => {
    const scene = { residents: [resident(1, tokens(500, 300), { isPinned: true })] };
    expect(plan(tokens(500), scene)).toEqual({ kind: "refused", reason: "no-room" });
  });
});

describe("a model that cannot go back to any token", () => {
  test("keeps no branch, and computes from the start", () => {
    const { steps } = admittedPlan([...tokens(80), 7], {
      residents: [resident(0, chat)],
      state: { rule: { kind: "only-at-end" } },
    });
    expect(steps).toEqual([
      { kind: "store", from: 0, to: 100 },
      { kind: "release", sequence: 0 },
      { kind: "compute", from: 0, to: 81 },
    ]);
  });

  test("takes a snapshot that ends within the prompt, but not one that is all of it", () => {
    const rule = { kind: "only-at-end" } as const;
    const snapshot = { length: 80, owners: [{ owner: "chat", tokens: 80 }] };
    const take = (prompt: readonly number[]) => admittedPlan(prompt, { state: { rule, stored: snapshot } }).steps;
    expect(take(tokens(81))).toEqual([
      { kind: "restore", from: 0, to: 80 },
      { kind: "compute", from: 80, to: 81 },
    ]);
    expect(take(tokens(80))).toEqual([{ kind: "compute", from: 0, to: 80 }]);
  });
});
