/** Prompt formats for models whose file has no chat template that works. */

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

interface FallbackFormat {
  readonly name: string;
  /** The text a vocabulary or a broken template must hold for this format to fit. */
  readonly sign: string;
  readonly takesSystemRole: boolean;
  /** Texts that begin the next turn, for models that do not end theirs with a token of its own. */
  readonly stopStrings: readonly string[];
  /** The conversation, and the beginning of the answer. */
  readonly render: (messages: readonly ChatMessage[], eosText: string) => string;
}

const chatMl: FallbackFormat = {
  name: "ChatML",
  sign: "<|im_start|>",
  takesSystemRole: true,
  stopStrings: [],
  render: (messages) =>
    turns(messages, ({ role, content }) => `<|im_start|>${role}\n${content}<|im_end|>\n`, "<|im_start|>assistant\n"),
};

const llamaHeaders: FallbackFormat = {
  name: "Llama 3",
  sign: "<|start_header_id|>",
  takesSystemRole: true,
  stopStrings: [],
  render: (messages) =>
    turns(messages, ({ role, content }) => `${llamaHeader(role)}${content}<|eot_id|>`, llamaHeader("assistant")),
};

const gemmaTurns: FallbackFormat = {
  name: "Gemma",
  sign: "<start_of_turn>",
  takesSystemRole: false,
  stopStrings: [],
  render: (messages) =>
    turns(
      messages,
      ({ role, content }) => `<start_of_turn>${role === "assistant" ? "model" : "user"}\n${content}<end_of_turn>\n`,
      "<start_of_turn>model\n",
    ),
};

const instructions: FallbackFormat = {
  name: "[INST]",
  sign: "[INST]",
  takesSystemRole: false,
  stopStrings: [],
  render: (messages, eosText) =>
    turns(
      messages,
      ({ role, content }) => (role === "assistant" ? `${content}${eosText}` : `[INST] ${content}[/INST]`),
      "",
    ),
};

const headings: FallbackFormat = {
  name: "plain headings",
  sign: "",
  takesSystemRole: true,
  stopStrings: ["\n### User:", "\n### System:"],
  render: (messages) => turns(messages, ({ role, content }) => `${heading(role)}${content}\n\n`, heading("assistant")),
};

/** The format the vocabulary's own tokens point to, else the one a broken template mentions, else headings. */
export function chooseFallback(vocabularyTexts: readonly string[], brokenTemplate: string): FallbackFormat {
  const formats = [chatMl, llamaHeaders, gemmaTurns, instructions];
  return (
    formats.find(({ sign }) => vocabularyTexts.includes(sign)) ??
    formats.find(({ sign }) => brokenTemplate.includes(sign)) ??
    headings
  );
}

function turns(messages: readonly ChatMessage[], turn: (message: ChatMessage) => string, opening: string): string {
  return messages.map(turn).join("") + opening;
}

function llamaHeader(role: string): string {
  return `<|start_header_id|>${role}<|end_header_id|>\n\n`;
}

function heading(role: ChatMessage["role"]): string {
  const names = { system: "System", user: "User", assistant: "Assistant" };
  return `### ${names[role]}:\n`;
}
