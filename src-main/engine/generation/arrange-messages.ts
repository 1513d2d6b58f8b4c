import type { PromptMessage } from "../../contract/engine-contract.ts";

/** What a template cannot take, found by trying. */
export interface TemplateTraits {
  readonly takesSystemRole: boolean;
  /** Two messages of the same role in a row are accepted. */
  readonly takesRepeatedRoles: boolean;
}

/**
 * The messages in the form the template takes: the system prompt folded into the first user message where there is no
 * system role, neighbours of the same role joined where roles must alternate.
 */
export function arrangeMessages(messages: readonly PromptMessage[], traits: TemplateTraits): readonly PromptMessage[] {
  const folded = traits.takesSystemRole ? messages : foldSystem(messages);
  return traits.takesRepeatedRoles ? folded : folded.reduce(joinNeighbours, []);
}

function foldSystem(messages: readonly PromptMessage[]): readonly PromptMessage[] {
  const system = messages.filter(({ role }) => role === "system").map(({ content }) => content);
  const others = messages.filter(({ role }) => role !== "system");
  const text = system.filter((content) => content.trim() !== "").join("\n\n");
  if (text === "") return others;
  const first = others[0];
  if (first?.role !== "user") return [{ role: "user", content: text, tokens: null }, ...others];
  return [{ ...first, content: `${text}\n\n${first.content}` }, ...others.slice(1)];
}

function joinNeighbours(joined: readonly PromptMessage[], message: PromptMessage): readonly PromptMessage[] {
  const last = joined.at(-1);
  if (last?.role !== message.role) return [...joined, message];
  const contents = [last.content, message.content].filter((content) => content !== "");
  return [...joined.slice(0, -1), { ...message, content: contents.join("\n\n"), tokens: null }];
}
