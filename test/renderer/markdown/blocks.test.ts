import { describe, expect, test } from "vitest";
import { headingLevels } from "../../../src-renderer/markdown/heading-levels.ts";
import { StreamingMarkdown } from "../../../src-renderer/markdown/streaming-markdown.ts";
import type { Inline } from "../../../src-renderer/markdown/token-tree.ts";

const parse = (text: string) => new StreamingMarkdown().update(text);
const text = (content: string): Inline => ({ kind: "text", text: content });

describe("blocks", () => {
  test("code keeps its language and its blank lines, without the last line end", () => {
    expect(parse("```python title=x\na = 1\n\nb = 2\n```")).toEqual([
      { kind: "code", language: "python", text: "a = 1\n\nb = 2" },
    ]);
  });

  test("code that is still being written is code already", () => {
    expect(parse("```js\nlet a")).toEqual([{ kind: "code", language: "js", text: "let a" }]);
  });

  test("a tight list has lines, a loose one paragraphs", () => {
    expect(parse("- a\n- b")).toMatchObject([
      { kind: "list", start: null, items: [{ blocks: [{ kind: "line" }] }, {}] },
    ]);
    expect(parse("- a\n\n- b")).toMatchObject([{ kind: "list", items: [{ blocks: [{ kind: "paragraph" }] }, {}] }]);
  });

  test("a numbered list keeps its first number, a task its state", () => {
    expect(parse("7. a")).toMatchObject([{ start: 7 }]);
    expect(parse("- [x] a\n- [ ] b\n- c")).toMatchObject([
      { items: [{ checked: true }, { checked: false }, { checked: null }] },
    ]);
  });

  test("a table has cells with their alignment", () => {
    expect(parse("| a | b |\n| --- | ---: |\n| 1 | **2** |")).toEqual([
      {
        kind: "table",
        header: [
          { align: "left", inlines: [text("a")] },
          { align: "right", inlines: [text("b")] },
        ],
        rows: [
          [
            { align: "left", inlines: [text("1")] },
            { align: "right", inlines: [{ kind: "strong", inlines: [text("2")] }] },
          ],
        ],
      },
    ]);
  });

  test("quotes hold blocks", () => {
    expect(parse("> # a\n> b")).toMatchObject([
      { kind: "quote", blocks: [{ kind: "heading" }, { kind: "paragraph" }] },
    ]);
  });
});

describe("heading levels on the page", () => {
  const levels = (markdown: string) => [...headingLevels(parse(markdown)).values()];

  test("begin below the page's own title, with whatever the model began", () => {
    expect(levels("### a\n\n### b")).toEqual([2, 2]);
  });

  test("skip none", () => {
    expect(levels("# a\n\n#### b\n\n## c\n\n### d")).toEqual([2, 3, 3, 4]);
  });
});
