import type { BlockDescription } from "./stored-block.ts";

export interface ConversationRemoval<Block> {
  /** Nothing but the conversation itself stands on them. */
  readonly removed: readonly Block[];
  /** Its blocks that others went on from, as theirs. */
  readonly inherited: readonly Block[];
}

/** What becomes of the blocks when a conversation is deleted. `blocks`: each behind the one it stands on. */
export function conversationRemoval<Block extends Pick<BlockDescription, "key" | "parent" | "conversationId">>(
  blocks: Iterable<Block>,
  conversationId: string,
): ConversationRemoval<Block> {
  /** Of blocks that others stand on: who. */
  const heirs = new Map<string, string | null>();
  const removed: Block[] = [];
  const inherited: Block[] = [];
  for (const block of [...blocks].reverse()) {
    const isOwn = block.conversationId === conversationId;
    const heir = isOwn ? heirs.get(block.key) : block.conversationId;
    if (heir !== undefined) heirs.set(block.parent, heir);
    if (!isOwn) continue;
    if (heir === undefined) removed.push(block);
    else inherited.push({ ...block, conversationId: heir, turnId: null });
  }
  return { removed: removed.reverse(), inherited: inherited.reverse() };
}
