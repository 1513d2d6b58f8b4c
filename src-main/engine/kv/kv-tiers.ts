/**
 * Both tiers as one: what is in place and what is stored for the loaded model. It owns nothing of either; it looks, and
 * notes what was lost from both.
 */
import { reusableTokens, type ResumeRule } from "../cache/reusable-tokens.ts";
import { activeSequence } from "./cell-ledger.ts";
import type { CellStream } from "./cell-stream.ts";
import type { KvStore } from "./kv-store.ts";
import type { LossReason } from "./loss-log.ts";
import type { DroppedTokens } from "./plan-draft.ts";
import type { Resident } from "./resident.ts";
import type { StoredChains, StoredMatch } from "./stored-chains.ts";

export interface KvTiersParts {
  readonly stream: CellStream;
  readonly store: KvStore;
  readonly chains: StoredChains;
  readonly rule: ResumeRule;
}

type GoneSequence = Pick<Resident, "sequence" | "role" | "tokens" | "keptTokens">;

interface LeavingTokens {
  readonly sequence: number;
  readonly tokens: readonly number[];
  readonly isFailed?: boolean;
}

/** Shorter conversations are computed again as fast as they are found. The tail of a longer one is stored to its last token. */
export const shortestStored = 8;
/** No vocabulary has it. */
export const noToken = -1;

export class KvTiers {
  readonly #parts: KvTiersParts;

  constructor(parts: KvTiersParts) {
    this.#parts = parts;
  }

  get residents(): Resident[] {
    return this.#parts.stream.residents((tokens) => this.#restorableTokens(tokens));
  }

  /** How many of these tokens some stored chain or snapshot begins with. */
  storedTokens(tokens: readonly number[]): number {
    const { store, chains } = this.#parts;
    return store.isEnabled ? chains.longest(tokens) : 0;
  }

  /** How many of these tokens can be gone on from in place. */
  residentTokens(tokens: readonly number[]): number {
    const { rule } = this.#parts;
    // As if one more came behind them, since a prompt's last token is always computed.
    const prompt = [...tokens, noToken];
    return Math.max(
      0,
      ...this.residents.map((resident) => reusableTokens({ ...resident, resident: resident.tokens, prompt, rule })),
    );
  }

  /** What can be restored of a prompt. */
  match(prompt: readonly number[]): StoredMatch | null {
    const { store, chains, rule } = this.#parts;
    if (!store.isEnabled) return null;
    return rule.kind === "anywhere" ? chains.chainFor(prompt) : chains.snapshotFor(prompt);
  }

  /** These can be had again. */
  settle(tokens: readonly number[]): void {
    this.#parts.chains.losses.settle(tokens);
  }

  /** A plan gives these up; what the store takes before is not lost by it. */
  noteDropped({ resident, from, to, reason }: DroppedTokens): void {
    if (reason === "replaced" && this.#parts.store.isEnabled) return;
    const { sequence, tokens, storedTokens } = resident;
    this.#noteLost(Math.max(from, storedTokens), { sequence, tokens: tokens.slice(0, to) });
  }

  /** A sequence goes as it is. `isFailed`: saving it was tried, and failed. */
  noteGone({ sequence, role, tokens, keptTokens }: GoneSequence, isFailed = false): void {
    if (role !== "chat") return;
    const kept = tokens.slice(0, keptTokens);
    this.#noteLost(this.#restorableTokens(kept), { sequence, tokens: kept, isFailed });
  }

  /** The active sequence was given to the store, which should have these tokens now. `isFailed`: it could not be saved. */
  noteHandedOver(tokens: readonly number[], isFailed: boolean): void {
    const reason = this.#reasonOf({ sequence: activeSequence, tokens, isFailed });
    this.#parts.chains.losses.note(tokens, this.#restorableTokens(tokens), reason);
  }

  /** How many of these tokens could be brought back: a snapshot is of no use but where it ends. */
  #restorableTokens(tokens: readonly number[]): number {
    const { store, chains, rule } = this.#parts;
    if (rule.kind === "anywhere" || !store.isEnabled) return this.storedTokens(tokens);
    return chains.snapshotFor(tokens, tokens.length)?.length ?? 0;
  }

  /** Where the store has said already why it could not take them, that is the reason. */
  #noteLost(from: number, lost: LeavingTokens): void {
    const { losses } = this.#parts.chains;
    const { tokens } = lost;
    if (from < tokens.length && losses.reasonAt(tokens, from) === null) losses.note(tokens, from, this.#reasonOf(lost));
  }

  /** Tokens that could be saved, and leave the cells before that was done, were given up. */
  #reasonOf({ sequence, tokens, isFailed = false }: LeavingTokens): LossReason {
    const { store, rule } = this.#parts;
    const isWhole = rule.kind !== "anywhere";
    // A state is saved whole, which only that of the active sequence can be.
    if (!store.isEnabled || (isWhole && sequence !== activeSequence)) return "evicted";
    if (!isWhole && tokens.length < shortestStored) return "too-short";
    return isFailed ? "disk" : "cancelled";
  }
}
