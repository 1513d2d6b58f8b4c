import type { AppClient } from "../contract/app-contract.ts";
import type { Conversation, ConversationPatch } from "../contract/conversation.ts";
import { chooseModel } from "./choose-model.ts";
import type { ChatOptions } from "./invocation.ts";
import { uniqueMatch } from "./unique-match.ts";

type Wishes = Pick<ChatOptions, "conversation" | "model" | "system" | "sampling">;

/**
 * The conversation to go on with, changed as the options say, or a new one. Everything that can be wrong with the
 * options or the model is found out before one is begun. Waits for the default model where that is the one to use.
 */
export async function prepareConversation(client: AppClient, wishes: Wishes): Promise<Conversation> {
  const current = wishes.conversation === null ? null : await findConversation(client, wishes.conversation);
  const modelId = wishes.model === null ? null : await chooseModel(client, wishes.model);
  await fetchIfDefault(client, modelId ?? current?.modelId ?? null);
  const sampling =
    Object.keys(wishes.sampling).length === 0
      ? null
      : { ...(current ?? (await client.conversations.beginning({ modelId }))).sampling, ...wishes.sampling };
  const patch: ConversationPatch = {
    ...(modelId !== null && { modelId }),
    ...(wishes.system !== null && { systemPrompt: wishes.system }),
    ...(sampling !== null && { sampling }),
  };
  if (current === null) return client.conversations.create(patch);
  if (Object.keys(patch).length === 0) return current;
  return client.conversations.update({ conversationId: current.id, patch });
}

/** Throws NOT_FOUND, and INVALID_INPUT where the text is the start of several ids. */
export async function findConversation(client: AppClient, text: string): Promise<Conversation> {
  const { id } = uniqueMatch("conversation", text, await client.conversations.list());
  return (await client.conversations.get({ conversationId: id })).conversation;
}

/** `null`: what the app uses for a conversation without a model of its own. */
async function fetchIfDefault(client: AppClient, conversationModelId: string | null): Promise<void> {
  const modelId = conversationModelId ?? (await client.settings.get()).modelId;
  const isDefault =
    modelId === null || (await client.models.list()).some(({ id, isDefault }) => isDefault && id === modelId);
  if (isDefault) await client.models.fetchDefault();
}
