import type { ConversationPatch, Sampling } from "../../src-main/contract/conversation.ts";

/** What can be set for one conversation. */
interface ConversationSettings {
  readonly systemPrompt: string;
  readonly overflowPolicy: NonNullable<ConversationPatch["overflowPolicy"]>;
  readonly sampling: Sampling;
}

/** A conversation's own, else what it begins with. */
export function settingsOf(
  own: ConversationPatch,
  beginning: Pick<ConversationSettings, "systemPrompt" | "sampling">,
): ConversationSettings {
  return {
    systemPrompt: own.systemPrompt ?? beginning.systemPrompt,
    overflowPolicy: own.overflowPolicy ?? "ask",
    sampling: own.sampling ?? beginning.sampling,
  };
}

/** Only what is another now: the rest was not chosen, and may still follow the model. */
export function changedSettings(before: ConversationSettings, after: ConversationSettings): ConversationPatch {
  return {
    ...(after.systemPrompt !== before.systemPrompt && { systemPrompt: after.systemPrompt }),
    ...(after.overflowPolicy !== before.overflowPolicy && { overflowPolicy: after.overflowPolicy }),
    ...(!isSameSampling(after.sampling, before.sampling) && { sampling: after.sampling }),
  };
}

/** The fields of the second decide: what a form holds may be more, or of other types. */
export function isSameSampling(one: Readonly<Record<string, unknown>>, other: Sampling): boolean {
  return Object.entries(other).every(([name, value]) => JSON.stringify(one[name]) === JSON.stringify(value));
}
