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
    models.map((file) => [
      file.id,
      formatSize(file.sizeBytes),
      file.summary?.quantization ?? "",
      oneLine(file.name),
      modelDetails(file),
    ]),
  );
}

const sourceMarks: Readonly<Record<ModelFile["source"], string | null>> = {
  own: null,
  added: "added",
  "lm-studio": "LM Studio",
  jan: "Jan",
  ollama: "Ollama",
  "hub-cache": "hub cache",
  watched: "watched folder",
};

/** What it is and where it lies, and where the very same file lies too. */
function modelDetails({ isDefault, kind, source, problem, path, copies }: ModelFile): string {
  const marks = [isDefault && "default", kind !== "model" && kind, sourceMarks[source]].filter(Boolean);
  const others = copies.map((copy) => `, also ${oneLine(copy.path)}`).join("");
  const place = problem === null ? `${oneLine(path)}${others}` : `cannot be used: ${oneLine(problem.message)}`;
  return marks.length > 0 ? `(${marks.join(", ")}) ${place}` : place;
}

/** Pads every cell to its column's widest; the last one is left as it is. */
function columns(rows: readonly (readonly string[])[]): string {
  const width = (column: number) => Math.max(...rows.map((row) => (row[column] ?? "").length));
  return rows
    .map((row) => row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(width(column)))).join("  "))
    .join("\n");
}
