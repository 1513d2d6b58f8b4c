const thoughts = /^[\s\S]*<\/think>/;

/** Whether a text writes out what the model thought before it answered. */
export function hasThoughts(text: string): boolean {
  return thoughts.test(text);
}

/** An answer as the person sees it: templates take thoughts out, and that is no edit. */
export function withoutThoughts(text: string): string {
  return text.replace(thoughts, "").trim();
}
