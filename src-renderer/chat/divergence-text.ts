/** What changed against the prompt before, in a sentence with what it cost. */
import type { DivergenceKind, TurnDivergence, TurnReport } from "../../src-main/contract/turn-report.ts";
import { formatCount, formatDuration } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

/** `null` where the engine has not told it: an answer of an earlier version, or a failed one. */
export function divergenceText(report: Pick<TurnReport, "divergence" | "prefilled" | "prefillMs">): string | null {
  if (report.divergence === null) return null;
  const { kind } = report.divergence;
  return m.because({ cause: divergenceCause(kind), cost: computedText(report, isComputedAnew(kind)) });
}

function computedText({ prefilled, prefillMs }: Pick<TurnReport, "prefilled" | "prefillMs">, again: boolean): string {
  const time = formatDuration(prefillMs);
  if (prefilled === 0) return m.computed_nothing();
  if (prefilled === 1) return m.computed_one({ time });
  const tokens = formatCount(prefilled);
  return again ? m.computed_again({ tokens, time }) : m.computed_tokens({ tokens, time });
}

/**
 * Whether text that stood there before had to be computed once more because something before it changed. For another
 * model nothing stood there, and what it needs may have been made ready when it was chosen.
 */
function isComputedAnew(kind: DivergenceKind): boolean {
  switch (kind) {
    case "first-turn":
    case "continues":
    case "regenerated":
    case "branch":
    case "model-switched":
      return false;
    case "history-edited":
    case "system-prompt-changed":
    case "tools-changed":
    case "template-changed":
    case "thinking-stripped":
    case "retokenized":
    case "overflow":
    case "settings-changed":
      return true;
  }
}

export function divergenceCause(kind: DivergenceKind): string {
  switch (kind) {
    case "first-turn":
      return m.divergence_first_turn();
    case "continues":
      return m.divergence_continues();
    case "regenerated":
      return m.divergence_regenerated();
    case "branch":
      return m.divergence_branch();
    case "history-edited":
      return m.divergence_history_edited();
    case "system-prompt-changed":
      return m.divergence_system_prompt_changed();
    case "tools-changed":
      return m.divergence_tools_changed();
    case "template-changed":
      return m.divergence_template_changed();
    case "thinking-stripped":
      return m.divergence_thinking_stripped();
    case "retokenized":
      return m.divergence_retokenized();
    case "overflow":
      return m.divergence_overflow();
    case "model-switched":
      return m.divergence_model_switched();
    case "settings-changed":
      return m.divergence_settings_changed();
  }
}

export interface ChangedPlace {
  readonly before: string;
  readonly replaced: string;
  readonly after: string;
}

/**
 * The text around the first token that differs, on one line; `null` where nothing that stood there before was changed:
 * a conversation that goes on, an answer that is written once more, another model, whose tokens mean something else.
 */
export function changedPlace(divergence: TurnDivergence | null): ChangedPlace | null {
  if (divergence === null || divergence.kind === "regenerated" || divergence.replaced === "") return null;
  const { before, replaced, after } = divergence;
  return { before: onOneLine(before), replaced: onOneLine(replaced), after: onOneLine(after) };
}

function onOneLine(text: string): string {
  return text.replaceAll(/\r\n?|\n/g, "↵");
}
