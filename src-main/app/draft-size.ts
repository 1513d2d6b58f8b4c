import type { DraftSize, PromptSize } from "../contract/draft.ts";
import type { PromptMessage } from "../contract/engine-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import type { DraftedConversation } from "./drafted-conversation.ts";
import type { FittingPrompts } from "./fitting-prompts.ts";
import { overflowOf } from "./overflow.ts";

type Measure = (messages: PromptMessage[]) => Promise<PromptSize>;

/** The size of a prompt, and of what is sent in its place where it does not fit. Throws what `measure` throws. */
export async function draftSize(
  prompts: FittingPrompts,
  conversation: DraftedConversation,
  { whole, measure }: { readonly whole: readonly PromptMessage[]; readonly measure: Measure },
): Promise<DraftSize> {
  const sizes: PromptSize[] = [];
  const attempted = prompts.attempt(conversation, whole, "look", async (messages, droppedMessages) => {
    const size = await measure(messages);
    sizes.push(size);
    if (!size.isFitting) throw new RepriseError("CONTEXT_FULL", "The prompt does not fit.", size);
    return { ...size, droppedMessages, isSameCut: droppedMessages === prompts.lastCut(conversation.id) };
  });
  const sent = await attempted.catch((caught: unknown) => {
    if (overflowOf(caught) === null) throw caught;
    return null;
  });
  const [size] = sizes;
  if (size === undefined) throw new Error("nothing was measured");
  return { ...size, shortened: sent === null || sent.droppedMessages === 0 ? null : sent };
}
