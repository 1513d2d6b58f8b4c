/**
 * Chat templates of models, loaded or not: which one is used, and what it makes of a conversation. A template is a
 * stranger's or the user's program, so it runs here, within bounds, and never in the app's own process.
 */
import type { PreviewInput, PromptMessage } from "../contract/engine-contract.ts";
import { RepriseError, toRepriseError } from "../contract/errors.ts";
import type { TemplateInUse } from "../contract/model.ts";
import type { RenderedPreview } from "../contract/prompt-preview.ts";
import { draftTemplate, loadChatTemplate, type ChatTemplate } from "./generation/chat-template.ts";
import { isRoomFor } from "./generation/generate-turn.ts";
import { PromptTokens } from "./generation/prompt-tokens.ts";
import { showPrompt } from "./generation/show-prompt.ts";
import { toTemplateError } from "./generation/template-error.ts";
import type { LoadedLlama } from "./llama/load-llama.ts";
import type { Vocabulary } from "./llama/vocabulary.ts";
import { VocabularyFile } from "./llama/vocabulary-file.ts";
import { inUse, type ModelSession } from "./model-session.ts";
import type { ResidentModels } from "./resident-models.ts";

interface Surroundings {
  readonly library: () => Promise<LoadedLlama>;
  readonly models: Pick<ResidentModels, "active" | "all">;
}

/** A file's own part in its prompts. */
interface TemplateOwner {
  readonly vocabulary: Vocabulary;
  readonly chatTemplate: string | null;
}

type Outcome = Pick<RenderedPreview, "inUse" | "prompt" | "failure">;

/** Owns the vocabulary that is being read for a preview: one at a time. */
export class Templates implements AsyncDisposable {
  readonly #surroundings: Surroundings;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
  }

  /** For the active model; another one gets its own when it is made active. Answers that are being written go on as they began. Throws MODEL_MISSING. */
  use(chatTemplate: string | null): TemplateInUse {
    const session = this.#surroundings.models.active;
    if (session !== null) return session.useTemplate(chatTemplate);
    throw new RepriseError("MODEL_MISSING", "No model is loaded, so there is no template to replace.", { path: null });
  }

  /** Throws MODEL_MISSING or MODEL_INVALID. */
  async preview(input: PreviewInput): Promise<RenderedPreview> {
    const session = this.#surroundings.models.all.find(({ description }) => description.path === input.path);
    if (session !== undefined) {
      const preview = render(session.model, input);
      await session.model.room.refresh();
      return { ...preview, room: roomOf(session, preview) };
    }
    const shown = this.#reading.then(() => this.#previewUnloaded(input));
    this.#reading = shown.catch(() => undefined);
    return shown;
  }

  /** Before the library goes. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#reading;
  }

  async #previewUnloaded(input: PreviewInput): Promise<RenderedPreview> {
    await using file = await VocabularyFile.open(await this.#surroundings.library(), input.path);
    return { ...render(file, input), room: null };
  }
}

function render(owner: TemplateOwner, input: PreviewInput): Omit<RenderedPreview, "room"> {
  return { ownTemplate: owner.chatTemplate, ...outcome(owner, input) };
}

function outcome(owner: TemplateOwner, { chatTemplate, isDraft, messages }: PreviewInput): Outcome {
  const { vocabulary: tokenizer, chatTemplate: source } = owner;
  const wanted = chatTemplate ?? source;
  if (!isDraft || wanted === null) {
    const template = loadChatTemplate({ source, override: chatTemplate, tokenizer });
    return { inUse: inUse(template), ...shown(template, tokenizer, messages) };
  }
  const from = chatTemplate === null ? "model" : "override";
  const draft: TemplateInUse = { template: from, templateReason: null, templateProblems: [], templateFormat: null };
  try {
    return { inUse: draft, ...shown(draftTemplate(wanted, from, tokenizer), tokenizer, messages) };
  } catch (caught) {
    const { message: reason, line } = toTemplateError(caught);
    return { inUse: draft, prompt: null, failure: { reason, line } };
  }
}

/** Exactly what a turn would compute; see SessionPrompts. */
function shown(
  template: ChatTemplate,
  tokenizer: Vocabulary,
  messages: readonly PromptMessage[],
): Pick<Outcome, "prompt" | "failure"> {
  try {
    const prompt = new PromptTokens(tokenizer, template).build(messages);
    return { prompt: showPrompt(prompt, tokenizer, template.wording), failure: null };
  } catch (caught) {
    const error = toRepriseError(caught);
    if (error.code !== "TEMPLATE_FAILED") throw error;
    const { reason, line = null } = (error as RepriseError<"TEMPLATE_FAILED">).data;
    return { prompt: null, failure: { reason, line } };
  }
}

function roomOf({ limitTokens }: ModelSession, { prompt }: Pick<RenderedPreview, "prompt">): RenderedPreview["room"] {
  if (prompt === null) return null;
  return { contextTokens: limitTokens, isFitting: isRoomFor(prompt.tokens.length, limitTokens) };
}
