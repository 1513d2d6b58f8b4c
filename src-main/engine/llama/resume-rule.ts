import type { LlamaModel } from "node-llama-cpp";
import type { ResumeRule } from "../cache/reusable-tokens.ts";
import type { GgufHeader } from "../../gguf/gguf-header.ts";
import { numberValue } from "../../gguf/gguf-values.ts";
import type { KvLayout } from "./kv-layout.ts";

/**
 * How far back a model's cells can be taken. The library answers "truncated" also where layers with a window have lost
 * what they would need, and goes on wrongly without a word.
 */
export function resumeRule(model: LlamaModel, header: GgufHeader, layout: KvLayout): ResumeRule {
  const { isRecurrent, isHybrid, ggufFileInfo } = model.fileInsights;
  // What the library laid out counts too: the list of such architectures grows.
  if (isRecurrent || isHybrid || layout.recurrentBytes > 0) return { kind: "only-at-end" };
  if (layout.sliding === null) return { kind: "anywhere" };
  const { architecture } = ggufFileInfo.metadata.general;
  const windowTokens = numberValue(header, `${architecture}.attention.sliding_window`);
  return windowTokens === null ? { kind: "only-at-end" } : { kind: "within-window", windowTokens };
}
