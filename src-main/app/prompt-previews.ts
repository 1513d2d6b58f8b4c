/** Shows prompts as the engine would make them now: of a conversation, of an answer, or of a sample. Computes nothing. */
import type { PromptMessage } from "../contract/engine-contract.ts";
import { RepriseError } from "../contract/errors.ts";
import type { PromptPreview, PromptPreviewInput, RenderedPreview } from "../contract/prompt-preview.ts";
import { abortable } from "./abortable.ts";
import { draftedConversation, type DraftedConversation } from "./drafted-conversation.ts";
import type { EngineSession } from "./engine-session.ts";
import { stampFile } from "./file-stamp.ts";
import type { FittingPrompts } from "./fitting-prompts.ts";
import type { ModelChoice } from "./model-choice.ts";
import type { ModelFamilies } from "./model-families.ts";
import { overflowOf } from "./overflow.ts";
import type { Store } from "./ports.ts";
import { promptSoFar, promptWithDraft, withoutEmptyAnswers } from "./prompt.ts";
import type { Quarantine } from "./quarantine.ts";

interface Dependencies {
  readonly store: Pick<Store, "conversations" | "messages">;
  readonly session: EngineSession;
  readonly models: ModelChoice;
  readonly families: ModelFamilies;
  readonly prompts: FittingPrompts;
  readonly quarantine: Quarantine;
}

/** What is to be shown, and what its prompt would be shortened by. */
interface Subject {
  readonly modelId: string | null;
  readonly messages: readonly PromptMessage[];
  /** `null` for a sample, which always fits. */
  readonly conversation: DraftedConversation | null;
}

const sample: readonly PromptMessage[] = [
  { role: "user", content: "What is a lighthouse?", tokens: null },
  { role: "assistant", content: "A tower with a light that shows ships the way.", tokens: null },
  { role: "user", content: "And how far can it be seen?", tokens: null },
];

export class PromptPreviews {
  readonly #parts: Dependencies;

  constructor(parts: Dependencies) {
    this.#parts = parts;
  }

  /** Throws NOT_FOUND, MODEL_MISSING, MODEL_INVALID, MODEL_QUARANTINED, or what keeps the engine from running. */
  async show({ of, chatTemplate }: PromptPreviewInput, signal: AbortSignal): Promise<PromptPreview> {
    const { models, families } = this.#parts;
    const { modelId, messages, conversation } = await this.#subject(of);
    const model = await models.usable(modelId, signal);
    this.#assertSafe(await stampFile(model.path));
    const familyId = await families.idOf(model.id);
    const { chatTemplate: override } = await families.settingsOf(model.id);
    const isDraft = chatTemplate !== undefined;
    const make = (fitting: readonly PromptMessage[]) => {
      const input = {
        path: model.path,
        chatTemplate: isDraft ? chatTemplate : override,
        isDraft,
        messages: [...fitting],
      };
      return this.#parts.session.withEngine((client) => abortable(client.templates.preview(input, { signal }), signal));
    };
    const shown = await this.#fitting(conversation, messages, make);
    return { ...shown, modelId: model.id, modelName: models.signatureFor(modelId).modelName, familyId, override };
  }

  /** As it would be sent: without the oldest turns where it does not fit and the conversation leaves them out. */
  async #fitting(
    conversation: DraftedConversation | null,
    whole: readonly PromptMessage[],
    make: (messages: readonly PromptMessage[]) => Promise<RenderedPreview>,
  ): Promise<RenderedPreview & { droppedMessages: number }> {
    if (conversation === null) return { ...(await make(whole)), droppedMessages: 0 };
    const made: RenderedPreview[] = [];
    const attempted = this.#parts.prompts.attempt(conversation, whole, "look", async (messages, droppedMessages) => {
      const preview = await make(messages);
      made.push(preview);
      assertFitting(preview);
      return { ...preview, droppedMessages };
    });
    return attempted.catch((caught: unknown) => {
      const [first] = made;
      if (overflowOf(caught) === null || first === undefined) throw caught;
      return { ...first, droppedMessages: 0 };
    });
  }

  async #subject(of: PromptPreviewInput["of"]): Promise<Subject> {
    const { store, families } = this.#parts;
    if (of.kind === "sample") {
      const { systemPrompt } = await families.beginning(of.modelId);
      return { modelId: of.modelId, messages: withSystem(systemPrompt, sample), conversation: null };
    }
    if (of.kind === "message") {
      const { id, role, parentId, conversationId } = store.messages.get(of.messageId);
      const conversation = store.conversations.get(conversationId);
      const messages = withoutEmptyAnswers(store.messages.prompt(role === "user" ? id : (parentId ?? id)));
      return { modelId: conversation.modelId, messages, conversation };
    }
    const conversation = draftedConversation(store, await families.draftWithBeginning(of));
    return { modelId: conversation.modelId, messages: this.#messagesOf(conversation, of.text), conversation };
  }

  #messagesOf(conversation: DraftedConversation, text: string): readonly PromptMessage[] {
    const { messages } = this.#parts.store;
    if (text !== "") return promptWithDraft(messages, conversation, text);
    const said = promptSoFar(messages, conversation);
    const asked = said.slice(0, said.findLastIndex(({ role }) => role === "user") + 1);
    return asked.length > 0 ? asked : withSystem(conversation.systemPrompt, sample.slice(0, 1));
  }

  /** A file that brought the engine down is not touched again before the user retries it. */
  #assertSafe(file: Awaited<ReturnType<typeof stampFile>>): void {
    const problem = this.#parts.quarantine.problemOf(file);
    if (problem !== null) throw problem;
  }
}

function withSystem(systemPrompt: string, messages: readonly PromptMessage[]): readonly PromptMessage[] {
  return systemPrompt === "" ? messages : [{ role: "system", content: systemPrompt, tokens: null }, ...messages];
}

function assertFitting({ room, prompt }: RenderedPreview): void {
  if (room === null || room.isFitting) return;
  const data = { promptTokens: prompt?.tokens.length ?? 0, contextTokens: room.contextTokens };
  throw new RepriseError("CONTEXT_FULL", "The prompt does not fit.", data);
}
