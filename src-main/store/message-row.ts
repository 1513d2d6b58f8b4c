/** A message as the table holds it, with its report, and as the rest of Reprise sees it. */
import type { z } from "zod";
import type { Message } from "../contract/conversation.ts";
import { errorViewSchema } from "../contract/errors.ts";
import { turnReportSchema } from "../contract/turn-report.ts";

/** STRICT and the table's checks hold what is read to these types. `error` and `report` are JSON. */
export interface MessageRow {
  readonly id: string;
  readonly conversationId: string;
  readonly parentId: string | null;
  readonly role: Message["role"];
  readonly content: string;
  readonly status: Message["status"];
  readonly createdAt: number;
  readonly modelName: string | null;
  readonly modelId: string | null;
  readonly modelLevel: string | null;
  readonly error: string | null;
  readonly report: string | null;
}

/** JSON that another version of Reprise wrote in a form this one does not know costs its figures, never the message. */
function readJson<Schema extends z.ZodType>(schema: Schema, json: string | null): z.infer<Schema> | null {
  if (json === null) return null;
  const parsed = schema.safeParse(JSON.parse(json));
  return parsed.success ? parsed.data : null;
}

export function toMessage(row: MessageRow, siblingIds: string[]): Message {
  return {
    ...row,
    siblingIds,
    error: readJson(errorViewSchema, row.error),
    report: readJson(turnReportSchema, row.report),
  };
}
