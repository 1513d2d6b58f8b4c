/**
 * What the echo engine has for chat templates: a word is a token, and a message is its role, a colon and its words. A
 * template with the word `broken` does not work; any other is written before the messages.
 */
import type { PreviewInput, PromptMessage } from "../../src-main/contract/engine-contract.ts";
import type { TemplateInUse } from "../../src-main/contract/model.ts";
import type { RenderedPreview, ShownPrompt } from "../../src-main/contract/prompt-preview.ts";

const echoTemplate = "echo";
const failure = { reason: "it is broken", line: 1 };

export function echoTemplateInUse(chatTemplate: string | null): TemplateInUse {
  if (chatTemplate === null) return { template: "model", templateReason: null, templateProblems: [] };
  if (!chatTemplate.includes("broken")) return { template: "override", templateReason: null, templateProblems: [] };
  const templateReason = "The chat template that was set for this model does not work, so its own is used.";
  return { template: "model", templateReason, templateProblems: [{ from: "override", ...failure }] };
}

export function echoPreview(
  { chatTemplate, isDraft, messages }: PreviewInput,
  contextTokens: number | null,
): RenderedPreview {
  const inUse = echoTemplateInUse(chatTemplate);
  const ownTemplate = echoTemplate;
  if (isDraft && chatTemplate?.includes("broken") === true)
    return { ownTemplate, inUse: { template: "override" }, prompt: null, failure, room: null };
  const prompt = shown(messages, inUse.template === "override" ? (chatTemplate ?? "") : "");
  const isFitting = contextTokens === null || prompt.tokens.length <= contextTokens;
  return {
    ownTemplate,
    inUse,
    prompt,
    failure: null,
    room: contextTokens === null ? null : { contextTokens, isFitting },
  };
}

function shown(messages: readonly PromptMessage[], opening: string): ShownPrompt {
  const tokens: ShownPrompt["tokens"] = [];
  const add = (text: string, kind: "text" | "control") => tokens.push({ id: tokens.length, text, kind });
  if (opening !== "") add(opening, "control");
  const spans = messages.map(({ role, content }) => {
    const start = tokens.length;
    add(`${role}:`, "control");
    for (const word of content.split(" ")) add(` ${word}`, "text");
    return { role, start, end: tokens.length };
  });
  const answerStart = tokens.length;
  add("assistant:", "control");
  return { text: tokens.map(({ text }) => text).join(""), tokens, messages: spans, answerStart };
}
