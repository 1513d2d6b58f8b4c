import fc from "fast-check";
import { expect, test } from "vitest";
import { commonPrefixLength, type ResumeRule } from "../../../../src-main/engine/cache/reusable-tokens.ts";
import { planAdmission } from "../../../../src-main/engine/kv/admission.ts";
import type { Admitted } from "../../../../src-main/engine/kv/admission-plan.ts";
import type { StoredPrefix } from "../../../../src-main/engine/kv/choose-base.ts";
import { firstUse } from "../../../../src-main/engine/kv/decayed-use.ts";
import { KvWorld, type WorldCell } from "../../../helpers/kv-world.ts";

const total = 32;

/** One request, made from what is there: so that beginnings are shared often. */
interface Ask {
  readonly kind: "turn" | "side";
  readonly conversation: number;
  /** Which earlier tokens it begins with, and how many of them. */
  readonly source: number;
  readonly keep: number;
  readonly fresh: readonly number[];
  readonly answer: readonly number[];
  readonly reserve: number;
  /** How much of the answer is a draft, not worth keeping; and what is pinned while it is planned. */
  readonly draft: number;
  readonly pins: readonly boolean[];
  /** Whether the conversation is stored when the turn is over. */
  readonly stores: boolean;
}

const token = fc.nat({ max: 3 });
const ask: fc.Arbitrary<Ask> = fc.record({
  kind: fc.constantFrom("turn" as const, "turn" as const, "turn" as const, "side" as const),
  conversation: fc.constantFrom(0, 0, 0, 1),
  source: fc.nat({ max: 9 }),
  keep: fc.nat({ max: 26 }),
  fresh: fc.array(token, { minLength: 1, maxLength: 9 }),
  answer: fc.array(token, { maxLength: 8 }),
  reserve: fc.nat({ max: 8 }),
  draft: fc.nat({ max: 2 }),
  pins: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
  stores: fc.boolean(),
});

interface Machine {
  readonly rule: ResumeRule;
  readonly restoresBehind: boolean;
  readonly maxParkedCells: number;
  readonly fixedMs: number;
}
const machine: fc.Arbitrary<Machine> = fc.record({
  rule: fc.constantFrom<ResumeRule>(
    { kind: "anywhere" },
    { kind: "anywhere" },
    { kind: "anywhere" },
    { kind: "anywhere" },
    { kind: "within-window", windowTokens: 4 },
    { kind: "only-at-end" },
  ),
  restoresBehind: fc.boolean(),
  maxParkedCells: fc.constantFrom(0, 6, 12, 100, 100),
  fixedMs: fc.constantFrom(0, 5, 1_000),
});

function storedPrefix(world: KvWorld, prompt: readonly number[], rule: ResumeRule): StoredPrefix | null {
  const usable = world.stored
    .map(({ tokens, owners }) => ({ length: commonPrefixLength(tokens, prompt), whole: tokens.length, owners }))
    .filter(({ length, whole }) => (rule.kind === "anywhere" ? length > 0 : length === whole && length < prompt.length))
    .sort((a, b) => b.length - a.length);
  return usable[0] ?? null;
}

function cellsOfChats(world: KvWorld): Map<number, readonly WorldCell[]> {
  const chats = [...world.residents.values()].filter(({ role }) => role === "chat");
  return new Map(chats.map(({ sequence }) => [sequence, [...world.cellsOf(sequence)]]));
}

/**
 * Tokens that were put in place once more although someone parked holds them in cells of its own; but for the prompt's
 * last one, which must be computed.
 */
function madeTwice(world: KvWorld, prompt: readonly number[], cellsBefore: ReadonlySet<WorldCell>): number {
  const isNew = world.cellsOf(0).map((cell) => !cellsBefore.has(cell));
  const parked = [...world.residents.values()].filter(({ sequence, isPinned }) => sequence !== 0 && !isPinned);
  return parked.reduce((sum, { tokens }) => {
    const equal = Math.min(commonPrefixLength(tokens, prompt), prompt.length - 1);
    return sum + isNew.slice(0, equal).filter((isNewCell) => isNewCell).length;
  }, 0);
}

function planAsk(world: KvWorld, { rule, restoresBehind, maxParkedCells, fixedMs }: Machine, asked: Ask) {
  const sources = [...world.residents.values()]
    .map(({ tokens }) => tokens)
    .concat(world.stored.map(({ tokens }) => tokens));
  const source = sources[asked.source % Math.max(1, sources.length)] ?? [];
  const prompt = [...source.slice(0, asked.keep), ...asked.fresh];
  const conversationId = `chat ${asked.conversation}`;
  const stored = storedPrefix(world, prompt, rule);
  const plan = planAdmission(
    { kind: asked.kind, conversationId, owner: conversationId, prompt, reserveTokens: asked.reserve },
    {
      ledger: world.ledger,
      residents: [...world.residents.values()],
      stored,
      rule,
      costs: { prefill: { msPerToken: 3, msPerTokenAndDepth: 0.01 }, restore: { fixedMs, msPerToken: 1 } },
      restoresBehind,
      maxParkedCells,
      window: { cells: 12, chunkTokens: 2 },
      nowMs: world.nowMs,
      halfLifeMs: 100,
    },
  );
  return { plan, prompt, conversationId };
}

function pin(world: KvWorld, pins: readonly boolean[], rule: ResumeRule): void {
  for (const [sequence, resident] of world.residents) {
    const isPinned = sequence !== 0 && pins[sequence] === true && rule.kind === "anywhere";
    world.residents.set(sequence, { ...resident, isPinned });
  }
}

function checkOrigins({ origins, owners }: Admitted, prompt: readonly number[]): void {
  const { fromResident, fromShared, fromStore, toCompute } = origins;
  expect(fromResident + fromShared + fromStore + toCompute).toBe(prompt.length);
  expect(Math.min(fromResident, fromShared, fromStore)).toBeGreaterThanOrEqual(0);
  expect(toCompute).toBeGreaterThanOrEqual(1);
  expect(owners.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(prompt.length);
}

function playTurn(world: KvWorld, rules: Machine, asked: Ask): void {
  world.nowMs += 50;
  pin(world, asked.pins, rules.rule);
  const before = cellsOfChats(world);
  const pinned = [...world.residents.values()].filter(({ isPinned }) => isPinned);
  const { plan, prompt, conversationId } = planAsk(world, rules, asked);
  if (plan.kind === "refused") {
    const pinnedCells = new Set(pinned.flatMap(({ sequence }) => world.cellsOf(sequence))).size;
    const isTurnWithoutRoom = asked.kind === "turn" && plan.reason === "no-room";
    if (isTurnWithoutRoom) expect(pinnedCells + prompt.length + asked.reserve).toBeGreaterThan(total);
    return;
  }
  checkOrigins(plan, prompt);
  const free = world.ledger.counts.free;
  const cellsBefore = new Set([...world.cells.values()].flat());
  world.admit(plan, prompt, {
    role: asked.kind === "turn" ? "chat" : "side",
    conversationId,
    keptTokens: prompt.length,
    storedTokens: 0,
    firstPosition: 0,
    use: firstUse(world.nowMs),
    isPinned: false,
  });
  expect(world.tokensOf(0)).toEqual(prompt);
  expect(world.cellsOf(0).map(({ position }) => position)).toEqual(prompt.map((_, position) => position));
  expect(world.ledger.counts.free).toBeGreaterThanOrEqual(asked.reserve);
  for (const { sequence } of pinned) expect(world.cellsOf(sequence)).toEqual(before.get(sequence));
  // What a window's cells hold cannot be shared, so there a side prompt may hold its own.
  if (rules.rule.kind === "anywhere") expect(madeTwice(world, prompt, cellsBefore)).toBe(0);
  world.answer(asked.answer.slice(0, asked.reserve), conversationId);
  if (asked.kind === "side") {
    world.run(plan.after, prompt);
    world.residents.delete(0);
    const active = before.get(0);
    const chat = [...world.residents.values()].find(({ sequence }) => sequence !== 0 && !before.has(sequence));
    if (active !== undefined && chat !== undefined) world.residents.set(0, { ...chat, sequence: 0 });
    world.forgetEmpty();
    for (const [sequence, cells] of before) {
      expect(world.cellsOf(sequence)).toHaveLength(cells.length);
      expect(world.cellsOf(sequence).every((cell, position) => cell === cells[position])).toBe(true);
    }
    expect(world.ledger.counts.free).toBeGreaterThanOrEqual(free);
    return;
  }
  const pinnedCells = pinned.reduce((sum, { tokens }) => sum + tokens.length, 0);
  expect(world.parkedCells).toBeLessThanOrEqual(Math.max(rules.maxParkedCells, pinnedCells));
  finishTurn(world, asked);
}

function finishTurn(world: KvWorld, { stores, draft }: Ask): void {
  const active = world.residents.get(0);
  if (active === undefined) return;
  if (stores) world.stored.push({ tokens: active.tokens, owners: active.owners });
  const { length } = active.tokens;
  world.residents.set(0, {
    ...active,
    keptTokens: length - Math.min(draft, length),
    storedTokens: stores ? length : 0,
  });
}

test("a plan puts exactly the prompt in place, within the cells there are, and leaves what must stay", () => {
  fc.assert(
    fc.property(machine, fc.array(ask, { minLength: 1, maxLength: 12 }), (rules, asks) => {
      const world = new KvWorld(total);
      for (const asked of asks) playTurn(world, rules, asked);
    }),
    { numRuns: 2_000 },
  );
});
