import { describe, expect, test } from "vitest";
import { StreamingMarkdown } from "../../../src-renderer/markdown/streaming-markdown.ts";
import type { Block, Inline } from "../../../src-renderer/markdown/token-tree.ts";

const parse = (text: string) => new StreamingMarkdown().update(text);
const text = (content: string): Inline => ({ kind: "text", text: content });
const paragraph = (...inlines: Inline[]): Block => ({ kind: "paragraph", inlines });

describe("what a model writes", () => {
  test.each([
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<div onclick=alert(1)>hello</div>",
    "</think> and <|im_end|> as words",
    "<!-- not a comment -->",
  ])("is text where it is markup: %s", (markup) => {
    expect(parse(markup)).toEqual([paragraph(text(markup))]);
  });

  test.each([
    "[click](javascript:alert(1))",
    "[click](JaVaScRiPt:alert(1))",
    "[click](<java\tscript:alert(1)>)",
    "[click](data:text/html,<script>alert(1)</script>)",
    "[click](vbscript:x)",
    "[click](file:///etc/passwd)",
    "[click](//example.org/protocol-relative)",
    "[click](/settings)",
  ])("loses a link that must not be opened: %s", (link) => {
    expect(parse(link)).toEqual([paragraph(text("click"))]);
  });

  test.each([
    ["https://example.org/a?b=c", "https://example.org/a?b=c"],
    ["http://example.org", "http://example.org/"],
    ["mailto:a@example.org", "mailto:a@example.org"],
  ])("keeps a link of an allowed scheme: %s", (address, url) => {
    expect(parse(`[click](${address})`)).toEqual([paragraph({ kind: "link", url, inlines: [text("click")] })]);
  });

  test("links addresses in plain text, by what they are", () => {
    expect(parse("see www.example.org now")).toEqual([
      paragraph(
        text("see "),
        { kind: "link", url: "http://www.example.org/", inlines: [text("www.example.org")] },
        text(" now"),
      ),
    ]);
  });

  test("has images that are not loaded, only named", () => {
    expect(parse("![a **fine** chart](https://example.org/chart.png)")).toEqual([
      paragraph({ kind: "image", url: "https://example.org/chart.png", description: "a **fine** chart" }),
    ]);
    expect(parse("![x](javascript:alert(1))")).toEqual([paragraph({ kind: "image", url: null, description: "x" })]);
  });

  test("may speak of money", () => {
    expect(parse("It cost $24000 and $40000.")).toEqual([paragraph(text("It cost $24000 and $40000."))]);
  });

  test("has its character references resolved in text, and left alone in code", () => {
    expect(parse("a &lt;b&gt; &amp; &#8364; &unknown; `&lt;`")).toEqual([
      paragraph(text("a <b> & € &unknown; "), { kind: "code", text: "&lt;" }),
    ]);
  });
});

/** Each is quick; a quadratic parser would run into the test's time limit. */
describe("long text without structure", () => {
  const length = 30_000;

  test.each(Array.from("a!*_`~[(<>#-=|\\\"'&1."))("%s, 30,000 times, in pieces", (character) => {
    const streaming = new StreamingMarkdown();
    for (const part of [0.25, 0.5, 0.75]) streaming.update(character.repeat(length * part));
    expect(JSON.stringify(streaming.update(character.repeat(length)))).not.toBe("[]");
  });

  test.each(["> ", "- ", "1. ", "> - ", "[a](", "![", "**a", "&amp;", "| a |\n", "<a "])(
    "%s, over and over",
    (piece) => {
      expect(parse(piece.repeat(length / piece.length))).not.toEqual([]);
    },
  );

  test("thousands of newlines are nothing", () => {
    expect(parse("\n".repeat(length))).toEqual([]);
    expect(parse(`a${"\n".repeat(length)}b`)).toEqual([paragraph(text("a")), paragraph(text("b"))]);
  });

  test("a quote inside a list inside a quote, a thousand deep, ends as text", () => {
    expect(JSON.stringify(parse(`${"> - ".repeat(1_000)}end`))).toContain("end");
  });
});
