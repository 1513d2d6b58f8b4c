import { expect, test } from "vitest";
import { titleFromMessage } from "../../../src-main/app/title.ts";

test.each([
  ["a short message is its own title", "Why is the sky blue?", "Why is the sky blue?"],
  ["only the first line counts", "\n\n  First line  \nsecond line", "First line"],
  ["spaces become one", "one \t two", "one two"],
  ["marks of Markdown go", "## > - Shopping list", "Shopping list"],
  ["nothing but spaces gives none", " \n\t ", ""],
  [
    "a long line is cut between two words",
    "Please explain to me, as well as you can, how a suspension bridge carries its load",
    "Please explain to me, as well as you can, how a suspension…",
  ],
  ["one long word is cut within", `See ${"x".repeat(100)}`, `See ${"x".repeat(55)}…`],
  ["a character of two code units is not torn apart", "🙂".repeat(100), `${"🙂".repeat(59)}…`],
])("%s", (_, text, title) => {
  expect(titleFromMessage(text)).toBe(title);
});
