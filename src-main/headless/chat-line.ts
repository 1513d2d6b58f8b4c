const commands = ["help", "new", "quit"] as const;

/** What a typed line asks for. */
export type ChatLine =
  | { readonly kind: "nothing" }
  | { readonly kind: (typeof commands)[number] }
  | { readonly kind: "unknown-command"; readonly name: string }
  | { readonly kind: "question"; readonly text: string };

export const chatHelp = `/help  this list
/new   begin a new conversation
/quit  leave (so does Ctrl+D)
Ctrl+C stops the answer; a second one leaves. A line that begins with // is sent with one / less.`;

export function readChatLine(line: string): ChatLine {
  const text = line.trim();
  if (text === "") return { kind: "nothing" };
  if (text.startsWith("//")) return { kind: "question", text: text.slice(1) };
  if (!text.startsWith("/")) return { kind: "question", text };
  const kind = commands.find((command) => text === `/${command}`);
  return kind === undefined ? { kind: "unknown-command", name: text } : { kind };
}
