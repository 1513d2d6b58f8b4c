import { hash } from "node:crypto";
import type { GenerateInput } from "../contract/engine-contract.ts";
import type { ChatTemplate } from "./generation/chat-template.ts";
import type { Prompt } from "./generation/prompt-tokens.ts";
import { fingerprint } from "./kv/fingerprint.ts";
import type { PromptRecord } from "./kv/prompt-record.ts";
import type { ModelSession } from "./model-session.ts";

/** What is remembered of a prompt that a model was asked, and of the template that made it. */
export function recordOfPrompt(
  { cache }: ModelSession,
  template: ChatTemplate,
  { tokens, spans }: Prompt,
  { tools = [], droppedMessages }: Pick<GenerateInput, "tools" | "droppedMessages">,
): PromptRecord {
  const parts = cache.parts.fingerprintParts;
  return {
    tokens,
    promptTokens: tokens.length,
    ...spans(),
    templateId: hash("sha256", template.wording, "hex"),
    toolsHash: tools.length === 0 ? null : hash("sha256", JSON.stringify(tools), "hex"),
    modelFingerprint: parts.weights,
    settingsFingerprint: fingerprint({ ...parts, weights: "" }),
    droppedMessages,
  };
}
