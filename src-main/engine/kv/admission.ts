/**
 * What has to happen before a prompt can be computed, decided from what is in place, what the store has, and what
 * either costs. Nothing here changes a cell: the plan is data.
 */
import { commonPrefixLength } from "../cache/reusable-tokens.ts";
import type { AdmissionRequest, AdmissionState, Admitted, Refused } from "./admission-plan.ts";
import type { AdmissionStep } from "./admission-step.ts";
import { activeSequence } from "./cell-ledger.ts";
import { chooseBase, type Base, type StoredPrefix } from "./choose-base.ts";
import { cellsToCome, evict, leave, releaseNeedless } from "./make-room.ts";
import { PlanDraft } from "./plan-draft.ts";
import type { Resident } from "./resident.ts";
import { promptOrigins } from "./token-origins.ts";
import { isWindowRoom } from "./window-pool.ts";

/**
 * Plans a prompt. Of the active sequence, what the prompt does not go on from is parked when it is another branch of
 * the same conversation and fits the parked cells; otherwise it is handed to the store. A refused prompt has to wait,
 * or be shortened; nothing has changed.
 */
export function planAdmission(request: AdmissionRequest, state: AdmissionState): Admitted | Refused {
  const active = state.residents.find(({ sequence }) => sequence === activeSequence) ?? null;
  const neededCells = request.prompt.length + request.reserveTokens;
  if (request.prompt.length === 0) return refused("empty");
  if (active?.isPinned === true) return refused("in-use");
  if (neededCells > state.ledger.total) return refused("too-long");
  return request.kind === "side" ? planSide(request, state, active) : planTurn(request, state, active);
}

function planTurn(request: AdmissionRequest, state: AdmissionState, active: Resident | null): Admitted | Refused {
  const branch = active !== null && isBranch(active, request, state) ? active : null;
  const withBranch = branch === null ? null : draftTurn(request, state, { active: branch, parks: true });
  return withBranch ?? draftTurn(request, state, { active, parks: false }) ?? refused("no-room");
}

/** Whether the active sequence holds something worth keeping that is not of this prompt, but of its conversation. */
function isBranch(active: Resident, { conversationId, prompt }: AdmissionRequest, { rule }: AdmissionState): boolean {
  const { role, tokens, keptTokens } = active;
  // Cells of a window that two sequences hold are lost to both, and recurrent state cannot be shared at all.
  if (role !== "chat" || active.conversationId !== conversationId || rule.kind !== "anywhere") return false;
  return keptTokens > commonPrefixLength(tokens, prompt);
}

/** `null`: there is no room, or none to park the active sequence. */
function draftTurn(
  request: AdmissionRequest,
  state: AdmissionState,
  { active, parks }: { readonly active: Resident | null; readonly parks: boolean },
): Admitted | null {
  const { prompt } = request;
  const base = chooseBase({ ...state, prompt, mayReplace: true });
  const draft = new PlanDraft(state.ledger, state.residents);
  const parked = parks && active !== null ? draft.park(active, active.keptTokens) : null;
  if (parks && parked === null) return null;
  if (!parks && active !== null) leave(draft, active, commonPrefixLength(active.tokens, prompt));
  draft.putInPlace(base.inPlace);
  releaseNeedless(draft, request, base);
  evict(draft, request, state);
  if (draft.ledger.counts.free < cellsToCome(draft, request)) return null;
  if (parked !== null && !draft.holds(parked)) return null;
  return admitted(draft, request, { base, stored: state.stored, after: [] });
}

function planSide(request: AdmissionRequest, state: AdmissionState, active: Resident | null): Admitted | Refused {
  const { prompt } = request;
  const { ledger, residents, rule } = state;
  // A window's cells that two sequences hold cannot be used again when they fall out of it: so nothing is shared there.
  const shareable = rule.kind === "anywhere" ? residents : [];
  const base = chooseBase({ ...state, residents: shareable, prompt, mayReplace: false });
  const draft = new PlanDraft(ledger, residents);
  const keeps = active?.role === "chat" && active.tokens.length > 0 ? active : null;
  const parked = keeps === null ? null : draft.park(keeps, keeps.tokens.length);
  if (keeps !== null && (parked === null || rule.kind === "only-at-end")) return refused("cannot-park");
  draft.putInPlace(base.inPlace);
  evict(draft, request, state);
  if (draft.ledger.counts.free < cellsToCome(draft, request)) return refused("no-room");
  const sequenceTokens = prompt.length + request.reserveTokens;
  const parkedTokens = draft.parked.map(({ tokens }) => tokens.length);
  if (!isWindowRoom(rule, state.window, { sequenceTokens, parkedTokens })) return refused("no-room");
  const back: readonly AdmissionStep[] =
    parked === null
      ? []
      : [
          { kind: "copy", source: parked.sequence, target: activeSequence },
          { kind: "release", sequence: parked.sequence },
        ];
  const after: readonly AdmissionStep[] = [{ kind: "release", sequence: activeSequence }, ...back];
  return admitted(draft, request, { base, stored: state.stored, after });
}

interface Decided {
  readonly base: Base;
  readonly stored: StoredPrefix | null;
  readonly after: readonly AdmissionStep[];
}

function admitted(draft: PlanDraft, request: AdmissionRequest, { base, stored, after }: Decided): Admitted {
  const { owner, prompt } = request;
  if (base.restore !== null) draft.take({ kind: "restore", ...base.restore });
  draft.take({ kind: "compute", from: base.length, to: prompt.length });
  const origins = promptOrigins(base, stored, { owner, promptTokens: prompt.length });
  return { kind: "admitted", ...origins, steps: draft.steps, after, dropped: draft.dropped, declined: base.declined };
}

function refused(reason: Refused["reason"]): Refused {
  return { kind: "refused", reason };
}
