/** A conversation as the table holds it, and as the rest of Reprise sees it. */
import {
  defaultSampling,
  samplingSchema,
  type Conversation,
  type ConversationSummary,
  type NewConversation,
  type Sampling,
} from "../contract/conversation.ts";
import { newId } from "../contract/id.ts";
import { definedOnly } from "./defined-only.ts";

export type StoredConversation = Omit<Conversation, "generating">;
export type StoredSummary = Omit<ConversationSummary, "generating">;

/** The table's columns; STRICT and its checks hold what is read to these types. */
export interface SummaryRow {
  readonly id: string;
  readonly title: string;
  readonly modelId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly pinned: 0 | 1;
  readonly archived: 0 | 1;
}

export interface ConversationRow extends SummaryRow {
  readonly folder: string | null;
  readonly overflowPolicy: Conversation["overflowPolicy"];
  readonly activeLeafId: string | null;
  readonly sampling: string;
  readonly systemPrompt: string;
}

export function toSummary(row: SummaryRow): StoredSummary {
  return { ...row, pinned: row.pinned === 1, archived: row.archived === 1 };
}

/** Sampling written by another version of Reprise is completed, and replaced where it is no longer valid. */
function toSampling(json: string): Sampling {
  const stored = samplingSchema.safeParse({ ...defaultSampling, ...(JSON.parse(json) as object) });
  return stored.success ? stored.data : defaultSampling;
}

export function toConversation(row: ConversationRow): StoredConversation {
  return { ...row, ...toSummary(row), sampling: toSampling(row.sampling) };
}

export function toRow(conversation: StoredConversation): ConversationRow {
  return {
    ...conversation,
    pinned: conversation.pinned ? 1 : 0,
    archived: conversation.archived ? 1 : 0,
    sampling: JSON.stringify(conversation.sampling),
  };
}

/** Untitled until someone names it: the words shown then depend on the reader's language. */
export function newConversation(values: NewConversation, createdAt: number): StoredConversation {
  return {
    id: newId(),
    title: "",
    modelId: null,
    createdAt,
    updatedAt: createdAt,
    pinned: false,
    archived: false,
    folder: null,
    overflowPolicy: "ask",
    activeLeafId: null,
    sampling: defaultSampling,
    systemPrompt: "",
    ...definedOnly(values),
  };
}
