/** Words whose letters the merges join, with and without a space before them; where two disagree the earlier wins. */
const words = [
  ..."the and you for are with this that have from what how can not all one will your about which".split(" "),
  ..."there when time people water would them other more into could first than been hello world name".split(" "),
  ..."user assistant system helpful question answer model token cache memory store chat turn again".split(" "),
];

const tokenTypes = { normal: 1, control: 3 } as const;

export const specialTokens = { endOfText: "<|endoftext|>", start: "<|im_start|>", end: "<|im_end|>" } as const;

/** ChatML, as the default model's own template writes it but without a system prompt of its own. */
export const chatMlTemplate =
  "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}" +
  "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

export interface TinyVocabulary {
  readonly tokens: readonly string[];
  readonly types: readonly number[];
  /** Pairs to merge, in order of rank. */
  readonly merges: readonly string[];
}

/** A byte-level BPE vocabulary: control tokens, every byte, then what the merges make. */
export function tinyVocabulary(): TinyVocabulary {
  const control = Object.values(specialTokens);
  const merges = uniqueMerges(words.flatMap((word) => [...merging(`Ġ${word}`), ...merging(word)]));
  const normal = [...byteTokens(), ...merges.map(([left, right]) => left + right)];
  return {
    tokens: [...control, ...normal],
    types: [...control.map(() => tokenTypes.control), ...normal.map(() => tokenTypes.normal)],
    merges: merges.map(([left, right]) => `${left} ${right}`),
  };
}

/** A word is built from its front, a letter at a time. */
function merging(word: string): [string, string][] {
  return Array.from(word.slice(1), (letter, index) => [word.slice(0, index + 1), letter]);
}

function uniqueMerges(merges: readonly [string, string][]): [string, string][] {
  return [...new Map(merges.map((merge) => [merge.join(""), merge])).values()];
}

/** GPT-2's printable stand-in for each byte: itself where printable, else the next free character from U+0100 on. */
function byteTokens(): string[] {
  const printable = (byte: number) => (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte !== 0xad);
  const bytes = Array.from({ length: 256 }, (_, byte) => byte);
  const hidden = bytes.filter((byte) => !printable(byte));
  return bytes.map((byte) => String.fromCharCode(printable(byte) ? byte : 0x100 + hidden.indexOf(byte)));
}
