/** Lists as columns of text. */
import type { ConversationSummary } from "../contract/conversation.ts";
import type { ModelFile } from "../contract/model.ts";
import { formatSize, formatTime, oneLine } from "./text-format.ts";

export function renderConversations(conversations: readonly ConversationSummary[]): string {
  if (conversations.length === 0) return "No conversations yet.";
  return columns(
    conversations.map(({ id, updatedAt, title, pinned, archived, generating }) => {
      const marks = [pinned && "pinned", archived && "archived", generating && "answering"].filter(Boolean);
      return [id, formatTime(updatedAt), `${oneLine(title)}${marks.length > 0 ? ` (${marks.join(", ")})` : ""}`];
    }),
  );
}

export function renderModels(models: readonly ModelFile[]): string {
  if (models.length === 0) return "No models yet. The default one is fetched when it is first needed.";
  return columns(
    models.map(({ id, sizeBytes, summary, name, isDefault, problem, path }) => [
      id,
      formatSize(sizeBytes),
      summary?.quantization ?? "",
      `${oneLine(name)}${isDefault ? " (default)" : ""}`,
      problem === null ? oneLine(path) : `cannot be used: ${oneLine(problem.message)}`,
    ]),
  );
}

/** Pads every cell to its column's widest; the last one is left as it is. */
function columns(rows: readonly (readonly string[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => (row[column] ?? "").length));
  return rows
    .map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(width(column)))).join("  "))
    .join("\n");
}
