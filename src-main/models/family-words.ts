/** What of a model's name says which model it is. Pure. */

/** Quantization levels as names carry them. */
const level =
  /(?<![0-9a-z])(?:ud[-_])?(?:i?q\d+(?:[_-](?:\d|k|s|m|l|xl|xs|xxs|nl))*|tq\d_\d|mxfp4(?:_moe)?|nvfp4|bf16|fp?16|fp?32|fp8|\d-?bit)(?![0-9a-z])/g;

/** Words of tools, makers and converters, which some files carry and others of the same model do not. */
const withoutMeaning = new Set(
  `gguf ggml hf huggingface transformers safetensors model models tmp temp output merged converted checkpoint snapshot snapshots
  main workspace data imatrix imat quant quants quantized unsloth bartowski thebloke lmstudio mradermacher community ggerganov bnb
  dynamic meta google microsoft mistralai v`.split(/\s+/),
);
const synonyms: Readonly<Record<string, string>> = { it: "instruct", instruction: "instruct" };

/** Early converters wrote these for whatever they converted. */
const saidOfEverything = new Set(["llama", "2 llama"]);

/**
 * The words that tell the model, each once, sorted; none where the texts say nothing of use. How large it is does not
 * count, since its shape tells that: `parameters` is how many it has, 0 where that is not known.
 */
export function wordsOf(texts: readonly (string | null)[], parameters: number): string[] {
  const words = texts
    .flatMap((text) =>
      (text ?? "")
        .toLowerCase()
        .replace(level, " ")
        .split(/[^a-z0-9.\u0080-\uffff]+|(?<!\d)\.|\.(?!\d)/),
    )
    .filter((word) => word !== "" && !/^[0-9a-f]{16,}$/.test(word) && !isSize(word, parameters))
    .flatMap((word) => word.split(/(?<=\p{L})(?=\d)/u))
    .map((word) => synonyms[word] ?? word)
    .filter((word) => !withoutMeaning.has(word));
  const sorted = [...new Set(words)].sort();
  const saysNothing = sorted.every((word) => /^[\d.]+$/.test(word)) || saidOfEverything.has(sorted.join(" "));
  return saysNothing ? [] : sorted;
}

/** `7b`, `8x7b`, and `a3b` or `e4b` for the active ones; not the `1m` of a context that is far from the model's size. */
function isSize(word: string, parameters: number): boolean {
  const [, prefix = "", amount, unit] = /^(\d+x|[ae])?(\d+(?:\.\d+)?)([mbt])$/.exec(word) ?? [];
  if (amount === undefined) return false;
  if (prefix !== "" || unit !== "m" || parameters === 0) return true;
  const ratio = (Number(amount) * 1e6) / parameters;
  return ratio > 0.25 && ratio < 4;
}

/** The parts as one name, without what is said twice, without tools and levels. */
export function displayName(parts: readonly (string | null)[]): string {
  const seen = new Set<string>();
  return parts
    .flatMap((part) => (part ?? "").replace(new RegExp(level.source, "gi"), " ").split(/[\s_-]+/))
    .map((word) => word.replace(/\.?(gguf)?$/i, ""))
    .filter((word) => {
      const key = word.toLowerCase();
      if (key === "" || seen.has(key) || (withoutMeaning.has(key) && key !== "meta")) return false;
      seen.add(key);
      return true;
    })
    .join(" ");
}
