import type { MemoryReport, StopReason, TurnReport } from "../../contract/turn-report.ts";
import type { Decoded } from "./decode.ts";
import type { PlacedOrigins } from "../kv/branch-origins.ts";
import type { Placement } from "../kv/placement.ts";
import type { Prefilled } from "./prefill.ts";

export interface TurnMeasurements {
  readonly model: TurnReport["model"];
  readonly arrivedAtMs: number;
  readonly startedAtMs: number;
  readonly placement: Placement;
  readonly prefilled: Prefilled;
  /** `null`: it was stopped before its first token. */
  readonly decoded: Decoded | null;
  readonly origins: PlacedOrigins;
  readonly savedMs: number | null;
  readonly divergence: TurnReport["divergence"];
  readonly shortfall: TurnReport["shortfall"];
  readonly seed: number;
  readonly threads: TurnReport["threads"];
  readonly context: TurnReport["context"];
  readonly memory: MemoryReport;
}

export function turnReport(turn: TurnMeasurements): TurnReport {
  const { placement, origins, prefilled, decoded, arrivedAtMs } = turn;
  const decodeMs = decoded === null ? 0 : decoded.lastTokenAtMs - decoded.firstTokenAtMs;
  const stepsAfterFirst = decoded === null ? 0 : decoded.sampledTokens - 1;
  return {
    model: turn.model,
    promptTokens: placement.reusedTokens + prefilled.computed,
    fromResident: origins.fromResident,
    fromStore: origins.fromStore,
    fromShared: origins.fromShared,
    preparedTokens: origins.preparedTokens,
    prefilled: prefilled.computed,
    outputTokens: decoded?.outputTokens ?? 0,
    queueMs: turn.startedAtMs - arrivedAtMs,
    restoreMs: placement.restored?.elapsedMs ?? 0,
    prefillMs: prefilled.elapsedMs,
    savedMs: turn.savedMs,
    ttftMs: decoded === null ? null : decoded.firstTokenAtMs - arrivedAtMs,
    decodeMs,
    prefillTokensPerSecond: rate(prefilled.computed, prefilled.elapsedMs),
    decodeTokensPerSecond: rate(stepsAfterFirst, decodeMs),
    threads: turn.threads,
    divergence: turn.divergence,
    shortfall: turn.shortfall,
    seed: turn.seed,
    stopReason: decoded?.stopReason ?? "stopped",
    context: turn.context,
    memory: turn.memory,
  };
}

export interface UnstartedTurn {
  readonly model: TurnReport["model"];
  readonly queueMs: number;
  readonly seed: number;
  readonly stopReason: StopReason;
  readonly context: TurnReport["context"];
  readonly memory: MemoryReport;
}

/** Of a turn that ended while it waited: nothing was done for it. */
export function unstartedTurnReport({ queueMs, seed, stopReason, ...turn }: UnstartedTurn): TurnReport {
  return {
    model: turn.model,
    promptTokens: 0,
    fromResident: 0,
    fromStore: 0,
    fromShared: 0,
    preparedTokens: 0,
    prefilled: 0,
    outputTokens: 0,
    queueMs,
    restoreMs: 0,
    prefillMs: 0,
    savedMs: null,
    ttftMs: null,
    decodeMs: 0,
    prefillTokensPerSecond: null,
    decodeTokensPerSecond: null,
    threads: { prefill: 0, decode: 0 },
    divergence: null,
    shortfall: null,
    seed,
    stopReason,
    context: turn.context,
    memory: turn.memory,
  };
}

function rate(count: number, elapsedMs: number): number | null {
  return count > 0 && elapsedMs > 0 ? (count * 1_000) / elapsedMs : null;
}
