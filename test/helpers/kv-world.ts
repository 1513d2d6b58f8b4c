import { expect } from "vitest";
import type { Admitted } from "../../src-main/engine/kv/admission-plan.ts";
import { accountFor, type AdmissionStep } from "../../src-main/engine/kv/admission-step.ts";
import { CellLedger } from "../../src-main/engine/kv/cell-ledger.ts";
import type { Resident } from "../../src-main/engine/kv/resident.ts";
import type { OwnedSpan } from "../../src-main/engine/kv/token-owners.ts";

/** One cell: what it was computed from. */
export interface WorldCell {
  readonly token: number;
  readonly position: number;
}

interface Stored {
  readonly tokens: readonly number[];
  readonly owners: readonly OwnedSpan[];
}

/**
 * A stream of cells and a store without any cleverness, which does what a plan says and checks that each step can be
 * done. It owns a ledger too, and checks after each step that it still counts right.
 */
export class KvWorld {
  readonly ledger: CellLedger;
  readonly cells = new Map<number, WorldCell[]>();
  readonly residents = new Map<number, Resident>();
  readonly stored: Stored[] = [];
  nowMs = 0;

  constructor(total: number, sequenceCount = 8) {
    this.ledger = new CellLedger(total, sequenceCount);
  }

  cellsOf(sequence: number): WorldCell[] {
    return this.cells.get(sequence) ?? [];
  }

  tokensOf(sequence: number): number[] {
    return this.cellsOf(sequence).map(({ token }) => token);
  }

  get distinctCells(): number {
    return new Set([...this.cells.values()].flat()).size;
  }

  get parkedCells(): number {
    const active = new Set(this.cellsOf(0));
    return new Set([...this.cells.values()].flat().filter((cell) => !active.has(cell))).size;
  }

  /** Whether the store can restore these tokens: they begin a chain. */
  canRestore(tokens: readonly number[]): boolean {
    return this.stored.some((chain) => tokens.every((token, position) => chain.tokens[position] === token));
  }

  run(steps: readonly AdmissionStep[], prompt: readonly number[]): void {
    for (const step of steps) {
      this.#check(step, prompt);
      this.#do(step, prompt);
      accountFor(step, this.ledger);
      expect(this.distinctCells).toBe(this.ledger.total - this.ledger.counts.free);
      expect(this.distinctCells).toBeLessThanOrEqual(this.ledger.total);
    }
  }

  /** Executes a plan and keeps the residents in step. */
  admit(plan: Admitted, prompt: readonly number[], active: Omit<Resident, "tokens" | "sequence" | "owners">): void {
    const parkedFrom = this.residents.get(0);
    this.run(plan.steps, prompt);
    for (const { kind, ...step } of plan.steps) {
      if (kind === "copy" && "target" in step && step.target !== 0 && parkedFrom !== undefined) {
        this.residents.set(step.target, { ...parkedFrom, sequence: step.target, tokens: this.tokensOf(step.target) });
      }
    }
    this.residents.set(0, { ...active, sequence: 0, tokens: this.tokensOf(0), owners: plan.owners });
    this.forgetEmpty();
  }

  forgetEmpty(): void {
    for (const sequence of this.residents.keys()) {
      if (this.cellsOf(sequence).length === 0) this.residents.delete(sequence);
    }
  }

  answer(tokens: readonly number[], owner: string): void {
    const active = this.residents.get(0);
    if (active === undefined) return;
    for (const token of tokens) this.#append(token);
    this.ledger.append(0, tokens.length);
    const own = { owner, tokens: tokens.length };
    const all = this.tokensOf(0);
    this.residents.set(0, { ...active, tokens: all, keptTokens: all.length, owners: [...active.owners, own] });
  }

  #check(step: AdmissionStep, prompt: readonly number[]): void {
    const active = this.cellsOf(0);
    switch (step.kind) {
      case "store":
        expect(step.to).toBeLessThanOrEqual(active.length);
        expect(step.from).toBeLessThan(step.to);
        return;
      case "copy":
        expect(this.cellsOf(step.target)).toEqual([]);
        expect(this.cellsOf(step.source)).not.toEqual([]);
        return;
      case "truncate":
        expect(step.length).toBeGreaterThan(0);
        expect(step.length).toBeLessThan(this.cellsOf(step.sequence).length);
        return;
      case "release":
        return;
      case "restore":
        expect(this.canRestore(prompt.slice(0, step.to))).toBe(true);
        expect(active).toHaveLength(step.from);
        return;
      case "compute":
        expect(active).toHaveLength(step.from);
        return;
    }
  }

  #do(step: AdmissionStep, prompt: readonly number[]): void {
    switch (step.kind) {
      case "store": {
        const { owners } = this.residents.get(0) ?? { owners: [] };
        this.stored.push({ tokens: this.tokensOf(0).slice(0, step.to), owners });
        return;
      }
      case "copy":
        this.cells.set(step.target, [...this.cellsOf(step.source)]);
        return;
      case "truncate":
        this.cells.set(step.sequence, this.cellsOf(step.sequence).slice(0, step.length));
        return;
      case "release":
        this.cells.delete(step.sequence);
        return;
      case "restore":
      case "compute":
        for (const token of prompt.slice(step.from, step.to)) this.#append(token);
        return;
    }
  }

  #append(token: number): void {
    const active = this.cellsOf(0);
    this.cells.set(0, [...active, { token, position: active.length }]);
  }
}
