/**
 * What is sent: the same to both sides, and no two texts with a common beginning, so that nothing is reused but what a
 * scenario means to be reused. Numbers have a fixed width, so that texts of one kind have the same number of tokens.
 */

/** The tokens of the whole prompt of a conversation's first message. */
export type CountTokens = (text: string) => Promise<number>;

export class PromptTexts {
  readonly #entries: number;

  private constructor(entries: number) {
    this.#entries = entries;
  }

  /** Documents then make prompts of about `tokens`, template and question included. */
  static async ofTokens(tokens: number, count: CountTokens): Promise<PromptTexts> {
    const [few, more] = [20, 60];
    const [fewTokens, moreTokens] = [await count(withEntries(0, few)), await count(withEntries(0, more))];
    const each = (moreTokens - fewTokens) / (more - few);
    return new PromptTexts(Math.round(few + (tokens - fewTokens) / each));
  }

  /** `which` below 10,000. `question` comes last. */
  document(which: number, question = "What does this register list? Say it in a few sentences."): string {
    return withEntries(which, this.#entries, question);
  }

  /** A short message, another one for each pair of numbers. */
  message(which: number, turn: number): string {
    return `Remark ${digits(which, 4)}, ${digits(turn, 3)}: which shelf is the fullest, and why? Tell me more about it.`;
  }
}

function withEntries(which: number, entries: number, question = ""): string {
  const lines = Array.from({ length: entries }, (_, index) => {
    const [shelf, boxes] = [(index * 37 + which * 11) % 100, (index * 53 + which * 29) % 100];
    return `Entry ${digits(index, 3)}: shelf ${digits(shelf, 2)} holds ${digits(boxes, 2)} boxes.`;
  });
  return [`Register ${digits(which, 4)}.`, ...lines, question].join("\n");
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
