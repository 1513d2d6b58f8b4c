/** What both sides of a comparison have said so far, event by event. Pure. */
import type { ComparisonEvent } from "../../src-main/contract/comparison.ts";
import type { ErrorView } from "../../src-main/contract/errors.ts";
import type { TurnReport } from "../../src-main/contract/turn-report.ts";

interface ComparedSide {
  readonly modelId: string;
  readonly text: string;
  readonly phase: "waiting" | "loading" | "prefill" | "writing" | "finished" | "failed";
  /** How much of the prompt is read, from 0 to 1, while it is. */
  readonly readFraction: number;
  readonly report: TurnReport | null;
  readonly error: ErrorView | null;
}

export interface ComparedSides {
  readonly comparisonId: string | null;
  /** Whether both write at the same time; `null` until that is known. */
  readonly isTogether: boolean | null;
  readonly sides: readonly [ComparedSide, ComparedSide];
}

export function beginSides(modelIds: readonly [string, string]): ComparedSides {
  const side = (modelId: string): ComparedSide => {
    return { modelId, text: "", phase: "waiting", readFraction: 0, report: null, error: null };
  };
  return { comparisonId: null, isTogether: null, sides: [side(modelIds[0]), side(modelIds[1])] };
}

export function reduceSides(state: ComparedSides, event: ComparisonEvent): ComparedSides {
  switch (event.type) {
    case "began":
      return { ...state, comparisonId: event.comparisonId };
    case "plan":
      return { ...state, isTogether: event.isTogether };
    case "loading":
      return changed(state, event.side, () => ({ phase: "loading" }));
    case "prefill":
      return changed(state, event.side, () => {
        return { phase: "prefill", readFraction: event.doneTokens / Math.max(1, event.totalTokens) };
      });
    case "delta":
      return changed(state, event.side, ({ text }) => ({ phase: "writing", text: text + event.text }));
    case "finished":
      return changed(state, event.side, () => ({ phase: "finished", report: event.report }));
    case "failed":
      return changed(state, event.side, () => ({ phase: "failed", error: event.error }));
  }
}

function changed(
  state: ComparedSides,
  index: number,
  change: (side: ComparedSide) => Partial<ComparedSide>,
): ComparedSides {
  const [first, second] = state.sides;
  return {
    ...state,
    sides: index === 0 ? [{ ...first, ...change(first) }, second] : [first, { ...second, ...change(second) }],
  };
}
