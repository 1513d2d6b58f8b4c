import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { AnswerText, type AnswerRest } from "../../../../src-main/engine/generation/answer-text.ts";
import { GreedyTokenizer, usualWords } from "../../../helpers/greedy-tokenizer.ts";

const tokenizer = new GreedyTokenizer({ words: usualWords, special: ["<|im_end|>"] });

interface Streamed {
  /** What was shown after each token; `null` for nothing. */
  readonly shown: (string | null)[];
  readonly shownTokens: number[];
  readonly rest: AnswerRest;
  readonly text: string;
}

/** Streams tokens as the turn loop does: until they end or a stop string is met. */
function stream(tokens: readonly number[], stops: readonly string[] = []): Streamed {
  const answer = new AnswerText(tokenizer, stops);
  const deltas = [];
  for (const token of tokens) {
    deltas.push(answer.push(token));
    if (answer.hitStopString) break;
  }
  const rest = answer.finish();
  const shown = deltas.map((delta) => delta?.text ?? null);
  const shownTokens = [...deltas.flatMap((delta) => delta?.tokens ?? []), ...rest.tokens];
  return { shown, shownTokens, rest, text: shown.join("") + rest.text };
}

const tokensOf = (...texts: string[]): number[] => texts.map((text) => tokenizer.idOf(text));

describe("characters", () => {
  test("text is shown with the token that completes it", () => {
    expect(stream(tokensOf("hello", " world", ".")).shown).toEqual(["hello", " world", "."]);
  });

  test("a character split over tokens is shown once it is whole", () => {
    const halves = tokenizer.tokenize("😀 ", { special: false });
    expect(stream(halves).shown).toEqual([null, "😀 "]);
  });

  test("a character that the answer's end leaves incomplete is left out, and so are its tokens", () => {
    const [half = 0] = tokenizer.tokenize("😀 ", { special: false });
    const { text, rest } = stream([...tokensOf("hello"), half]);
    expect(text).toBe("hello");
    expect(rest.answerTokens).toEqual(tokensOf("hello"));
  });

  test("bytes that are no text are shown as replacement characters", () => {
    expect(stream([0xff, ...tokensOf("hello")]).text).toBe("\ufffdhello");
  });

  test("a control token has no text but belongs to the answer", () => {
    const tokens = tokensOf("hello", "<|im_end|>", " world");
    const { text, rest } = stream(tokens);
    expect(text).toBe("hello world");
    expect(rest.answerTokens).toEqual(tokens);
  });

  test("the space that a SentencePiece token begins with is kept", () => {
    expect(stream(tokensOf(" hello", " world")).text).toBe(" hello world");
  });
});

describe("stop strings", () => {
  test("the beginning of one is held back until it is certain", () => {
    expect(stream(tokensOf("hello", "</", "start", " world"), ["</end>"]).shown).toEqual([
      "hello",
      null,
      "</start",
      " world",
    ]);
  });

  test("one over several tokens ends the answer before it", () => {
    const tokens = tokensOf("hello", "\n\n", " User", ":\n", " world");
    const { text, rest } = stream(tokens, ["\n\n User:"]);
    expect(text).toBe("hello");
    expect(rest.answerTokens).toEqual(tokensOf("hello"));
  });

  test("one that begins inside a token cuts the text there, and no list of tokens spells it", () => {
    const { text, rest, shownTokens } = stream(tokensOf("hello", " world"), ["orl"]);
    expect(text).toBe("hello w");
    expect(rest.answerTokens).toBeNull();
    expect(shownTokens).toEqual(tokensOf("hello"));
  });

  test("one at the very beginning leaves an empty answer", () => {
    const { text, rest } = stream(tokensOf("###", " User"), ["###"]);
    expect(text).toBe("");
    expect(rest.answerTokens).toEqual([]);
  });

  test("one that never becomes complete is shown at the end", () => {
    const { text, rest } = stream(tokensOf("hello", "</"), ["</end>"]);
    expect(text).toBe("hello</");
    expect(rest.answerTokens).toEqual(tokensOf("hello", "</"));
  });

  test("nothing follows one", () => {
    const answer = new AnswerText(tokenizer, ["."]);
    answer.push(tokenizer.idOf("."));
    expect(answer.hitStopString).toBe(true);
    expect(answer.push(tokenizer.idOf("hello"))).toBeNull();
    expect(answer.finish()).toEqual({ text: "", tokens: [], answerTokens: [] });
  });

  test("30,000 equal characters under a stop string of the same character pass unharmed", () => {
    const stop = "a".repeat(5_000) + "b";
    const { text } = stream(
      Array.from({ length: 30_000 }, () => 0x61),
      [stop],
    );
    expect(text).toBe("a".repeat(30_000));
  });
});

describe("for any tokens and any stop strings", () => {
  const anyText = fc.string({
    unit: fc.constantFrom("a", "b", "é", "日", "本", "😀", " ", "\n", "<", "the"),
    maxLength: 20,
  });
  /** A text cut into tokens anywhere, also inside characters. */
  const anySplit = fc.tuple(anyText, fc.array(fc.nat({ max: 3 }), { maxLength: 60 })).map(([text, joins]) => {
    const bytes = [...Buffer.from(text)];
    const tokens = tokenizer.tokenize(text, { special: false });
    return { text, tokens: joins.length % 2 === 0 ? bytes : tokens };
  });
  const anyTokens = fc.array(fc.nat({ max: 256 + usualWords.length }), { maxLength: 30 });
  const anyStops = fc.array(
    fc.string({ unit: fc.constantFrom("a", "b", "é", "日", "😀", " ", "\n", "<"), minLength: 1, maxLength: 4 }),
    { maxLength: 3 },
  );

  test("what is shown in pieces is the text up to the first stop string", () => {
    fc.assert(
      fc.property(anySplit, anyStops, ({ text, tokens }, stops) => {
        expect(stream(tokens, stops).text).toBe(cutAtFirstStop(text, stops));
      }),
      { numRuns: 1_000 },
    );
  });

  test("the tokens handed out spell exactly the text handed out, at every moment", () => {
    fc.assert(
      fc.property(anyTokens, anyStops, (tokens, stops) => {
        const answer = new AnswerText(tokenizer, stops);
        let text = "";
        const shownTokens: number[] = [];
        for (const token of tokens) {
          const delta = answer.push(token);
          text += delta?.text ?? "";
          shownTokens.push(...(delta?.tokens ?? []));
          expect(spell(shownTokens)).toBe(text);
          if (answer.hitStopString) break;
        }
        const rest = answer.finish();
        if (rest.answerTokens !== null) expect(spell(rest.answerTokens)).toBe(text + rest.text);
      }),
      { numRuns: 1_000 },
    );
  });

  test("a text of whole characters never shows a replacement character", () => {
    fc.assert(
      fc.property(anySplit, anyStops, ({ tokens }, stops) => {
        const { shown, rest } = stream(tokens, stops);
        for (const piece of [...shown, rest.text]) {
          expect(piece ?? "").not.toContain("\ufffd");
          expect((piece ?? "").isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

function spell(tokens: readonly number[]): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(
    Buffer.concat(tokens.map((token) => tokenizer.bytesOf(token))),
  );
}

/** The definition, without streams: the text before the stop string that ends first. */
function cutAtFirstStop(text: string, stops: readonly string[]): string {
  const ends = stops.filter((stop) => text.includes(stop)).map((stop) => text.indexOf(stop) + stop.length);
  if (ends.length === 0) return text;
  const upToFirst = text.slice(0, Math.min(...ends));
  const lengths = stops.filter((stop) => upToFirst.endsWith(stop)).map((stop) => stop.length);
  return upToFirst.slice(0, upToFirst.length - Math.max(...lengths));
}
