import { describe, expect, test } from "vitest";
import { compileJinja } from "../../../../src-main/engine/generation/jinja.ts";

const limits = { maxSteps: 300_000, maxLength: 10_000 };
const render = (source: string, variables = {}): string => compileJinja(source)(variables, limits);

describe("a template", () => {
  test("writes its variables", () => {
    expect(render("{% for word in words %}{{ word }}.{% endfor %}", { words: ["a", "b"] })).toBe("a.b.");
  });

  test("knows the constants in both spellings, and range", () => {
    expect(
      render("{{ [True == true, None == none] }} {{ range(3) | join(',') }} {{ range(5, 1, -2) | join(',') }}"),
    ).toBe("[true, true] 0,1,2 5,3");
  });

  test("can refuse with a sentence of its own", () => {
    expect(() => render("{{ raise_exception('Only pairs are allowed') }}")).toThrow("Only pairs are allowed");
  });

  test("that is broken is told when it is read", () => {
    expect(() => compileJinja("{% for x in %}")).toThrow();
  });

  test("keeps nothing from one rendering to the next", () => {
    const template = compileJinja("{% if seen is defined %}again{% endif %}{% set seen = true %}");
    expect([template({}, limits), template({}, limits)]).toEqual(["", ""]);
  });
});

describe("a hostile template ends with an error, not with the engine:", () => {
  test.each([
    [
      "loops in loops",
      "{% for i in range(9000) %}{% for j in range(9000) %}.{% endfor %}{% endfor %}",
      "too many steps",
    ],
    ["empty loops", "{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}", "too many steps"],
    [
      "filters over a long list",
      "{% set l = range(90000) %}{% for i in range(9000) %}{% set x = l | length %}{% endfor %}",
      "too many steps",
    ],
    ["a long range", "{{ range(10 ** 12) }}", "too long a range"],
    ["a range without end", "{{ range(0, 1, 0) }}", "too long a range"],
    [
      "a string that doubles",
      "{% set ns = namespace(s='ab') %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
      "output is too long",
    ],
    [
      "a list that doubles",
      "{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}{% endfor %}",
      "too long a list",
    ],
    ["a large source", "x".repeat(300_000), "too large"],
    ["a run of blanks", `${" ".repeat(50_000)}{{ 1 }}`, "too large"],
  ])("%s", (_, source, message) => {
    expect(() => render(source)).toThrow(message);
  });

  test("a macro that calls itself", () => {
    expect(() => render("{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}")).toThrow();
  });
});
