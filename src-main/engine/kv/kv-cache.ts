/**
 * The KV cache of a loaded model: how a prompt's beginning gets in place, and how what was computed gets to the store.
 * It owns the stream of cells and the measured costs; the store is shared with whatever is loaded before and after.
 */
import { commonPrefixLength, type ResumeRule } from "../cache/reusable-tokens.ts";
import type { ActiveCells } from "./active-cells.ts";
import type { AdmissionStep } from "./admission-step.ts";
import type { BlockLoader } from "./block-loader.ts";
import type { BlockSaver } from "./block-saver.ts";
import { activeSequence } from "./cell-ledger.ts";
import { CellSaving, type PausedPrompt } from "./cell-saving.ts";
import type { CellStream } from "./cell-stream.ts";
import { restoredSteps } from "./computed-steps.ts";
import { firstUse, usedAgain } from "./decayed-use.ts";
import type { FingerprintParts } from "./fingerprint.ts";
import type { KvStore } from "./kv-store.ts";
import type { KvTiers } from "./kv-tiers.ts";
import type { MeasuredCosts } from "./measured-costs.ts";
import { placementOf, type Placement, type Restored } from "./placement.ts";
import { cellHalfLifeMs, planPrompt, restoreEnd, type PlacementRequest, type PromptPlan } from "./plan-prompt.ts";
import type { Resident } from "./resident.ts";
import type { ReuseCosts } from "./reuse-costs.ts";
import { SetAside } from "./set-aside.ts";
import type { StoredChains } from "./stored-chains.ts";
import type { WindowPool } from "./window-pool.ts";

export interface KvCacheParts {
  readonly stream: CellStream;
  readonly tiers: KvTiers;
  readonly saver: BlockSaver;
  readonly loader: BlockLoader;
  readonly store: KvStore;
  readonly chains: StoredChains;
  readonly rule: ResumeRule;
  readonly window: WindowPool | null;
  readonly measured: MeasuredCosts;
  /** In place of what was measured: for tests, which must not depend on how fast the machine is. */
  readonly fixedCosts: ReuseCosts | null;
  readonly fingerprintParts: FingerprintParts;
  readonly onChanged: () => void;
}

/** Until it is measured what parked cells cost. */
const cautiousParkedCells = 256;

export class KvCache {
  readonly parts: KvCacheParts;
  #maxParkedCells: number | null = null;
  #wishesToPark = false;
  readonly #saving: CellSaving;
  readonly #setAside: SetAside;

  constructor(parts: KvCacheParts) {
    this.parts = parts;
    this.#saving = new CellSaving(parts);
    this.#setAside = new SetAside(parts);
  }

  get cells(): ActiveCells {
    return this.parts.stream.cells;
  }

  get costs(): ReuseCosts {
    return this.parts.fixedCosts ?? this.parts.measured.costs;
  }

  /** A branch was left, and nobody has measured yet how many parked cells are cheap. */
  get wantsParkedBudget(): boolean {
    return this.#wishesToPark && this.#maxParkedCells === null && this.parts.rule.kind === "anywhere";
  }

  /** So many cells may be parked while an answer is written. */
  set maxParkedCells(cells: number) {
    this.#maxParkedCells = cells;
  }

  /** Why the last conversation could not be saved, as a sentence; `null` where it was. */
  get saveFailure(): string | null {
    return this.#saving.failure;
  }

  /**
   * Puts in place what can be used again of a prompt; the rest is computed behind it with `cells`. Throws what llama.cpp
   * throws; then nothing is in place.
   */
  async place(request: PlacementRequest): Promise<Placement> {
    const isWhole = this.parts.rule.kind !== "anywhere";
    // What is drafted behind a conversation changes its state: without a snapshot it would be lost with the draft.
    if (isWhole && request.isDraft === true) await this.saveStep();
    const plan = this.#plan(request);
    if (isWhole && request.kind === "side" && plan.planned.after.length === 0) await this.#setAside.take();
    try {
      return await this.#execute(request, plan);
    } catch (caught) {
      await this.#setAside.putBack();
      throw caught;
    }
  }

  /** The same, but only where something is restored by it: otherwise nothing is touched, and there is no placement. */
  async placeIfRestored(request: PlacementRequest): Promise<Placement | null> {
    const plan = this.#plan(request);
    const restores = plan.planned.steps.some(({ kind }) => kind === "restore");
    return restores ? await this.#execute(request, plan) : null;
  }

  /** What is in place now is worth keeping. A side prompt's is not, and makes way for what it displaced. */
  async settle({ kind, after, owner, owners, isDraft }: Placement): Promise<void> {
    const { stream, tiers } = this.parts;
    for (const dropped of stream.takeDropped()) tiers.noteGone(dropped);
    if (kind === "side") await this.#putBack(after);
    else {
      const { length, tokens } = this.cells;
      tiers.settle(tokens.slice());
      const answer = length - owners.reduce((sum, span) => sum + span.tokens, 0);
      const keptTokens = isDraft ? stream.active.keptTokens : length;
      const allOwners = answer > 0 ? [...owners, { owner, tokens: answer }] : owners;
      stream.active = { ...stream.active, owners: allOwners, keptTokens };
    }
    stream.bound();
    this.parts.onChanged();
  }

  /** Hands the next unsaved tokens to the store. Returns whether there are more. */
  async saveStep(): Promise<boolean> {
    return await this.#saving.saveStep();
  }

  /** Where to pause while the rest of a placed prompt is computed, and call `saveHere`. */
  pausesOf(prompt: PausedPrompt): number[] {
    return this.#saving.pausesOf(prompt, this.costs);
  }

  async saveHere(): Promise<void> {
    await this.#saving.saveHere();
  }

  /** Removes a conversation from the cells. */
  async forget(conversationId: string): Promise<void> {
    const own = this.parts.tiers.residents.filter((resident) => resident.conversationId === conversationId);
    for (const { sequence } of own) await this.#move({ kind: "release", sequence });
    this.parts.stream.disown(conversationId);
    this.parts.onChanged();
  }

  /** The cells go: what is in them and not with the store is lost. */
  leave(): void {
    const isFailed = this.saveFailure !== null;
    for (const resident of this.parts.tiers.residents) this.parts.tiers.noteGone(resident, isFailed);
  }

  #plan(request: PlacementRequest): PromptPlan {
    const { tiers, stream, rule, window } = this.parts;
    // While somebody types nothing is decoded that parked cells could slow down.
    const maxParkedCells = request.isDraft === true ? Infinity : (this.#maxParkedCells ?? cautiousParkedCells);
    const costs = request.costs ?? this.costs;
    return planPrompt(request, { tiers, ledger: stream.ledger, rule, window, costs, maxParkedCells });
  }

  async #execute(request: PlacementRequest, plan: PromptPlan): Promise<Placement> {
    const { planned, residents, storedTokens } = plan;
    const { stream, store, tiers } = this.parts;
    const active = residents.find(({ sequence }) => sequence === activeSequence) ?? null;
    const { draftFrom } = stream.active;
    planned.dropped.forEach((dropped) => {
      tiers.noteDropped(dropped);
    });
    this.#noteBranch(request, plan);
    const restored = await this.#take(request, plan);
    // What is left will not grow: its tail may be written as soon as nobody waits.
    const isLeft = request.kind === "turn" && planned.dropped.some(({ reason }) => reason === "replaced");
    if (isLeft) store.writeLate();
    const { length } = this.cells;
    const owner = request.conversationId;
    const isDraft = request.isDraft === true;
    const facts = { ...request, owner, isDraft, residents, storedTokens, planned, restored, length, draftFrom };
    const placement = placementOf(facts);
    this.#describe(request, placement, active);
    stream.bound();
    this.parts.onChanged();
    return placement;
  }

  async #take({ prompt, restoreTokens }: PlacementRequest, { planned, match }: PromptPlan): Promise<Restored | null> {
    let restored: Restored | null = null;
    for (const step of planned.steps) {
      if (step.kind === "restore" || step.kind === "compute") await this.#closeGaps();
      if (step.kind === "store") await this.#saving.saveActive();
      else if (step.kind === "restore") {
        const from = this.cells.length;
        const wanted = restoreEnd(from, step.to, restoreTokens);
        const startMs = performance.now();
        const to = match === null ? from : await this.parts.loader.restore(match, from, wanted);
        restored = { from, to, wanted, elapsedMs: performance.now() - startMs };
        const { start, steps } = restoredSteps(match?.blocks ?? [], from, to);
        this.cells.replaceFrom(start, prompt.slice(start, to), steps);
        this.parts.measured.noteRestore(to - from, restored.elapsedMs);
      } else await this.#move(step);
    }
    return restored;
  }

  /** Before anything is added behind the cells in place. Other branches make way: they are stored, or computed again. */
  async #closeGaps(): Promise<void> {
    const { stream, loader, tiers, rule } = this.parts;
    if (!stream.hasGaps || rule.kind !== "anywhere") return;
    for (const resident of tiers.residents.filter(({ sequence }) => sequence !== activeSequence)) {
      tiers.noteGone(resident);
      await this.#move({ kind: "release", sequence: resident.sequence });
    }
    stream.repacked(await loader.repack(this.cells.length));
  }

  /** Not where a failure has cleared all there was. */
  async #putBack(after: readonly AdmissionStep[]): Promise<void> {
    const { stream, tiers } = this.parts;
    if (await this.#setAside.putBack()) tiers.settle(this.cells.tokens.slice());
    const isThere = after.every((step) => step.kind !== "copy" || stream.holds(step.source));
    if (isThere) for (const step of after) await this.#move(step);
  }

  async #move(step: AdmissionStep): Promise<void> {
    if (step.kind === "store" || step.kind === "restore" || step.kind === "compute") return;
    await this.parts.stream.take(step);
  }

  #noteBranch({ kind, conversationId }: PlacementRequest, { planned }: PromptPlan): void {
    const parks =
      kind === "turn" && planned.steps.some((step) => step.kind === "copy" && step.source === activeSequence);
    const drops = planned.dropped.some(({ resident }) => resident.conversationId === conversationId);
    if (parks || drops) this.#wishesToPark = true;
  }

  #describe(request: PlacementRequest, placement: Placement, before: Resident | null): void {
    const { stream } = this.parts;
    const { kind, conversationId, boundaryTokens, prompt } = request;
    const { isDraft, owners, restored } = placement;
    const { length } = this.cells;
    const nowMs = Date.now();
    const isSame = before?.conversationId === conversationId && before.role === "chat";
    const keptBefore = isSame ? Math.min(before.keptTokens, commonPrefixLength(before.tokens, prompt)) : 0;
    const keptTokens = isDraft ? Math.min(length, Math.max(keptBefore, restored?.to ?? 0)) : length;
    stream.active = {
      role: kind === "side" ? "side" : "chat",
      conversationId,
      owners,
      keptTokens: kind === "side" ? 0 : keptTokens,
      boundaryTokens,
      draftFrom: isDraft ? Math.min(stream.active.draftFrom ?? length, length) : null,
      use: isSame ? usedAgain(before.use, nowMs, cellHalfLifeMs) : firstUse(nowMs),
    };
  }
}
