/** A conversation as Markdown that reads well in a terminal. */
import type { Message, Thread } from "../contract/conversation.ts";
import { formatReport, formatTime, oneLine } from "./text-format.ts";

export function renderTranscript({ conversation, messages }: Thread): string {
  const { systemPrompt } = conversation;
  return [
    `# ${oneLine(conversation.title)}`,
    `Conversation ${conversation.id}, begun ${formatTime(conversation.createdAt)}`,
    ...(systemPrompt === "" ? [] : ["## System prompt", systemPrompt]),
    ...messages.flatMap(renderMessage),
  ].join("\n\n");
}

function renderMessage(message: Message): string[] {
  const author = message.role === "user" ? "You" : (message.modelName ?? "Model");
  const note = messageNote(message);
  return [
    `## ${oneLine(author)}`,
    ...(message.content === "" ? [] : [message.content.trimEnd()]),
    ...(note === null ? [] : [`(${note})`]),
  ];
}

/** What there is to know about an answer beside its text. */
function messageNote(message: Message): string | null {
  const parts = [
    ...statusNotes(message),
    ...(message.report === null ? [] : [formatReport(message.report)]),
    ...branchNotes(message),
  ];
  return parts.length === 0 ? null : parts.join("; ");
}

function statusNotes({ status, error }: Message): string[] {
  switch (status) {
    case "complete":
      return [];
    case "streaming":
      return ["still being written"];
    case "stopped":
      return ["stopped"];
    case "failed":
      return [error === null ? "failed" : `failed: ${oneLine(error.message)}`];
  }
}

function branchNotes({ id, siblingIds }: Message): string[] {
  return siblingIds.length < 2 ? [] : [`version ${siblingIds.indexOf(id) + 1} of ${siblingIds.length}`];
}
