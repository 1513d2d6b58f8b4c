/** Why a chat template cannot be used or cannot write a conversation: a clause that fits after a colon. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
  /** Of its source, counted from 1; `null` where that is not known. */
  readonly line: number | null;

  constructor(reason: string, line: number | null, options?: ErrorOptions) {
    super(reason, options);
    this.line = line;
  }
}

export function toTemplateError(caught: unknown): TemplateError {
  if (caught instanceof TemplateError) return caught;
  const reason = caught instanceof Error ? caught.message : String(caught);
  return new TemplateError(reason, null, { cause: caught });
}

/** With its line, as it stands within a sentence. */
export function reasonWithLine({ message, line }: TemplateError): string {
  return line === null ? message : `line ${line}: ${message}`;
}
