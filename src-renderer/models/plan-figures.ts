/** A plan of memory as figures, each with where it comes from. */
import type { FigureSource, MemoryPlan } from "../../src-main/contract/memory-plan.ts";
import { formatBytes, formatCount } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

export interface PlanFigure {
  readonly key: "weights" | "adapters" | "cache" | "compute" | "reserve";
  readonly name: string;
  readonly bytes: number;
  /** One sentence on what it is, and one on where it comes from. */
  readonly tip: string;
  /** A background class. */
  readonly colour: string;
  /** Of the model as it is loaded; `null` where it is not, or the figure is not of the model. */
  readonly measuredBytes: number | null;
}

/** Adapters only where there are any. What is measured of the weights holds the adapters too. */
export function planFigures(plan: MemoryPlan): PlanFigure[] {
  const { measured, adapterBytes, sources } = plan;
  const figure = (
    key: PlanFigure["key"],
    name: string,
    bytes: number,
    [what, source]: readonly [string, FigureSource],
    colour: string,
    measuredBytes: number | null,
  ): PlanFigure => ({ key, name, bytes, tip: `${what} ${sourceText(source)}`, colour, measuredBytes });
  const weights = measured === null ? null : Math.max(0, measured.weightsBytes - adapterBytes);
  return [
    figure(
      "weights",
      m.plan_weights(),
      plan.weightsBytes,
      [m.plan_weights_tip(), sources.weightsBytes],
      "bg-memory-weights",
      weights,
    ),
    ...(adapterBytes === 0
      ? []
      : [
          figure(
            "adapters",
            m.plan_adapters(),
            adapterBytes,
            [m.plan_adapters_tip(), sources.adapterBytes],
            "bg-memory-parked",
            null,
          ),
        ]),
    figure(
      "cache",
      m.plan_cache(),
      plan.cacheBytes,
      [m.plan_cache_tip({ bytes: formatCount(plan.kvBytesPerToken) }), sources.cacheBytes],
      "bg-origin-resident",
      measured?.cacheBytes ?? null,
    ),
    figure(
      "compute",
      m.plan_compute(),
      plan.computeBytes,
      [m.plan_compute_tip(), sources.computeBytes],
      "bg-memory-compute",
      measured?.computeBytes ?? null,
    ),
    figure(
      "reserve",
      m.plan_reserve(),
      plan.reserveBytes,
      [m.plan_reserve_tip(), sources.reserveBytes],
      "bg-memory-reserved",
      null,
    ),
  ];
}

/** A part of the bar: what the figure of the same key is, or what is free. */
interface PlanSegment {
  readonly key: PlanFigure["key"] | "free";
  readonly fraction: number;
  /** A background class. */
  readonly colour: string;
}

/** Of the memory there is, or of what is needed where that is more. */
export function planSegments(plan: MemoryPlan): PlanSegment[] {
  const parts = planFigures(plan).map(({ key, bytes, colour }) => ({ key, bytes, colour }));
  const used = parts.reduce((sum, { bytes }) => sum + bytes, 0);
  const whole = Math.max(used, plan.budgetBytes);
  const free = whole - used;
  return [...parts, ...(free > 0 ? [{ key: "free" as const, bytes: free, colour: "bg-line" }] : [])]
    .filter(({ bytes }) => bytes > 0)
    .map(({ key, bytes, colour }) => ({ key, colour, fraction: bytes / whole }));
}

/** For a reader who cannot see the bar. */
export function planLabel(plan: MemoryPlan): string {
  return planFigures(plan)
    .map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`)
    .join(", ");
}

export function sourceText(source: FigureSource): string {
  switch (source) {
    case "metadata":
      return m.figure_metadata();
    case "formula":
      return m.figure_formula();
    case "estimate":
      return m.figure_estimate();
    case "machine":
      return m.figure_machine();
    case "given":
      return m.figure_given();
    case "rule":
      return m.figure_rule();
  }
}
