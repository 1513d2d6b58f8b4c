/** `reprise list`, `show` and `delete`: what needs no engine. */
import type { CommandHost } from "./command-host.ts";
import { connect } from "./connect.ts";
import type { ConversationOptions, ListOptions } from "./invocation.ts";
import { renderConversations } from "./listings.ts";
import { findConversation } from "./prepare-conversation.ts";
import { print, printJson } from "./terminal.ts";
import { oneLine } from "./text-format.ts";
import { renderTranscript } from "./transcript.ts";

/** JSON: the summaries as the contract has them. */
export async function listConversations(options: ListOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, options.folders, { isShared: false });
  const conversations = await app.client.conversations.list();
  if (options.json) printJson(host.terminal, conversations);
  else print(host.terminal, `${renderConversations(conversations)}\n`);
}

/** JSON: `{conversation, messages}`, the messages with their reports. */
export async function showConversation(options: ConversationOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, options.folders, { isShared: false });
  const { id } = await findConversation(app.client, options.id);
  const thread = await app.client.conversations.get({ conversationId: id });
  if (options.json) printJson(host.terminal, thread);
  else print(host.terminal, `${renderTranscript(thread)}\n`);
}

/** JSON: `{conversationId}`. */
export async function deleteConversation(options: ConversationOptions, host: CommandHost): Promise<void> {
  await using app = await connect(host, options.folders, { isShared: false });
  const { id: conversationId, title } = await findConversation(app.client, options.id);
  await app.client.conversations.delete({ conversationId });
  if (options.json) printJson(host.terminal, { conversationId });
  else print(host.terminal, `Deleted ${conversationId}: ${oneLine(title)}\n`);
}
