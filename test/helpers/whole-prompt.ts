import type { Prompt } from "../../src-main/engine/generation/prompt-tokens.ts";

/** A prompt with what it makes only when asked, to be compared with another. */
export function wholePrompt(prompt: Prompt) {
  return { ...prompt, spans: prompt.spans() };
}
