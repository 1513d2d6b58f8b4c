/** Writes of the message tree: nothing is ever overwritten but an answer that is still being written. */
import type { Database } from "better-sqlite3";
import type { Message } from "../contract/conversation.ts";
import { errorViewSchema, type ErrorView } from "../contract/errors.ts";
import { newId } from "../contract/id.ts";
import { turnReportSchema, type TurnReport } from "../contract/turn-report.ts";
import { createMessageReader } from "./message-reader.ts";
import type { MessageRow } from "./message-row.ts";
import { notFound } from "./not-found.ts";
import { encodeTokens } from "./token-blob.ts";

interface AnswerProgress {
  readonly content: string;
  readonly tokens: readonly number[] | null;
}

interface AnswerEnd extends AnswerProgress {
  readonly status: Exclude<Message["status"], "streaming">;
  readonly error: ErrorView | null;
  readonly report: TurnReport | null;
}

interface NewAnswer {
  readonly conversationId: string;
  readonly parentId: string;
  readonly modelName: string;
  readonly modelId?: string | null;
  readonly modelLevel?: string | null;
}

type NewRow = Omit<MessageRow, "error" | "report">;
type ProgressRow = Pick<MessageRow, "id" | "content"> & { tokens: Buffer | null };
type EndRow = ProgressRow & Pick<MessageRow, "status" | "error" | "modelLevel">;

const touchSql = "UPDATE conversation SET active_leaf_id = @id, updated_at = @createdAt WHERE id = @conversationId";

const insertSql = `
  INSERT INTO message (id, conversation_id, parent_id, role, status, created_at, model_name, model_id, model_level, content)
  SELECT @id, @conversationId, @parentId, @role, @status, @createdAt, @modelName, @modelId, @modelLevel, @content
  WHERE @parentId IS NULL OR EXISTS (SELECT 1 FROM message WHERE conversation_id = @conversationId AND id = @parentId)`;

const checkpointSql = "UPDATE message SET content = @content, tokens = @tokens WHERE id = @id AND status = 'streaming'";

const finishSql = `
  UPDATE message SET content = @content, tokens = @tokens, status = @status, error = @error,
    model_level = coalesce(@modelLevel, model_level)
  WHERE id = @id AND status = 'streaming'`;

const reportSql = "INSERT INTO turn_report (message_number, report) SELECT number, ? FROM message WHERE id = ?";

function toProgressRow(id: string, { content, tokens }: AnswerProgress): ProgressRow {
  return { id, content, tokens: tokens === null ? null : encodeTokens(tokens) };
}

/** Checked here too: what is stored must read again, whoever wrote it. */
function toJson(end: AnswerEnd): { error: string | null; report: string | null } {
  return {
    error: end.error === null ? null : JSON.stringify(errorViewSchema.parse(end.error)),
    report: end.report === null ? null : JSON.stringify(turnReportSchema.parse(end.report)),
  };
}

export function createMessageStore(database: Database, now: () => number) {
  const reader = createMessageReader(database);
  const touch = database.prepare<NewRow>(touchSql);
  const insert = database.prepare<NewRow>(insertSql);
  const saveProgress = database.prepare<ProgressRow>(checkpointSql);
  const saveEnd = database.prepare<EndRow>(finishSql);
  const saveReport = database.prepare<[string, string]>(reportSql);

  /** The new message becomes the active leaf, and its conversation the one used last. */
  const append = database.transaction((row: NewRow): void => {
    if (touch.run(row).changes === 0) throw notFound("conversation", row.conversationId);
    if (insert.run(row).changes === 0) throw notFound("message", String(row.parentId));
  });

  const end = database.transaction((row: EndRow, report: string | null): void => {
    if (saveEnd.run(row).changes === 0) throw notFound("message", row.id);
    if (report !== null) saveReport.run(report, row.id);
  });

  const add = (values: Omit<NewRow, "id" | "createdAt">): Message => {
    const row = { ...values, id: newId(), createdAt: now() };
    append(row);
    return reader.get(row.id);
  };

  return {
    ...reader,

    addUserMessage: (values: { conversationId: string; parentId: string | null; content: string }): Message =>
      add({ ...values, role: "user", status: "complete", modelName: null, modelId: null, modelLevel: null }),

    addAnswer: ({ modelId = null, modelLevel = null, ...values }: NewAnswer): Message =>
      add({ ...values, modelId, modelLevel, role: "assistant", status: "streaming", content: "" }),

    /** Keeps what there is of an answer. NOT_FOUND once it has ended or its conversation is gone. */
    checkpoint: (messageId: string, progress: AnswerProgress): void => {
      if (saveProgress.run(toProgressRow(messageId, progress)).changes === 0) throw notFound("message", messageId);
    },

    /** The answer's last state and its report, together. NOT_FOUND once it has ended or its conversation is gone. */
    finish: (messageId: string, last: AnswerEnd): Message => {
      const { error, report } = toJson(last);
      // What the engine read in the file knows better than what was known before it was loaded.
      const modelLevel = last.report?.model?.level ?? null;
      end({ ...toProgressRow(messageId, last), status: last.status, error, modelLevel }, report);
      return reader.get(messageId);
    },
  };
}
