import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { StreamingMarkdown } from "../../../src-renderer/markdown/streaming-markdown.ts";

const parse = (text: string) => new StreamingMarkdown().update(text);

/** Pieces that start, go on with and end every kind of block, glued together at random. */
const piece = fc.constantFrom(
  ..."# ,## a,a,b,- ,- a,* b,+ c,1. ,2. b,10) c,> ,> q,```,```js,~~~,`x`,**b**,*e*,~~s~~,---,===,***,| a | b |,| - | - |,|1|2|".split(
    ",",
  ),
  ..."[a]: http://x.y,[a],[t](http://z.w),![i](http://i.j),<div>,</div>,<b>,<!--,-->,&amp;,\\*,http://u.v,[x] task".split(
    ",",
  ),
  ...[
    "    ",
    "\t",
    "  ",
    " ",
    "\n",
    "\n\n",
    "\n\n",
    "\n    ",
    "\r\n",
    "\n- [ ] a",
    "\n- [x] b",
    '"',
    '"t\n\n"',
    "(",
    ")",
    "[b]: <x\ny> 'z",
  ],
);

describe("streaming Markdown", () => {
  test("shows the same as parsing the whole text, wherever it is cut", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.array(fc.nat(12), { maxLength: 40 }), (pieces, cuts) => {
        const text = pieces.join("");
        const streaming = new StreamingMarkdown();
        let end = 0;
        for (const cut of cuts) {
          end = Math.min(text.length, end + cut);
          expect(streaming.update(text.slice(0, end))).toEqual(parse(text.slice(0, end)));
        }
        expect(streaming.update(text)).toEqual(parse(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test("keeps the identity of blocks that are done", () => {
    const streaming = new StreamingMarkdown();
    const before = streaming.update("# Title\n\nFirst.\n\nSecond.\n\nThird, not yet");
    const after = streaming.update("# Title\n\nFirst.\n\nSecond.\n\nThird, not yet done.");

    expect(after[0]).toBe(before[0]);
    expect(after[1]).toBe(before[1]);
    expect(after[3]).not.toBe(before[3]);
  });

  test("turns earlier text into a link when its definition arrives", () => {
    const streaming = new StreamingMarkdown();
    const text = "See [the page].\n\nMore.\n\nAnd more.\n\n";
    streaming.update(text);

    const [first] = streaming.update(`${text}[the page]: https://example.org/\n`);

    expect(first).toEqual({
      kind: "paragraph",
      inlines: [
        { kind: "text", text: "See " },
        { kind: "link", url: "https://example.org/", inlines: [{ kind: "text", text: "the page" }] },
        { kind: "text", text: "." },
      ],
    });
  });

  test("starts anew when the text is another one", () => {
    const streaming = new StreamingMarkdown();
    streaming.update("# One\n\nabc\n\ndef\n");

    expect(streaming.update("# Two\n\nabc\n\ndef\n")).toEqual(parse("# Two\n\nabc\n\ndef\n"));
  });
});
