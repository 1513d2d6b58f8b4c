import { expect, test } from "vitest";
import { strftime } from "../../../../src-main/engine/generation/strftime.ts";

const morning = new Date(2026, 2, 7, 9, 5, 3);

test.each([
  ["%d %b %Y", "07 Mar 2026"],
  ["%B %-d, %Y", "March 7, 2026"],
  ["%A, %a %y-%m", "Saturday, Sat 26-03"],
  ["%H:%M:%S", "09:05:03"],
  ["%I %p", "09 AM"],
  ["100%%, %Q", "100%, %Q"],
])("%s", (format, text) => {
  expect(strftime(morning, format)).toBe(text);
});

test("midnight and noon are twelve o'clock", () => {
  expect(strftime(new Date(2026, 0, 1, 0, 0), "%I %p")).toBe("12 AM");
  expect(strftime(new Date(2026, 0, 1, 12, 0), "%I %p")).toBe("12 PM");
});
