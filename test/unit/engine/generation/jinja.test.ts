import { describe, expect, test } from "vitest";
import { compileJinja } from "../../../../src-main/engine/generation/jinja.ts";

const limits = { maxSteps: 300_000, maxLength: 10_000, maxMs: 60_000 };
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
    expect(() => render("{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}")).toThrow("goes too deep");
  });

  test("brackets within brackets", () => {
    expect(() => render(`{{ ${"[".repeat(50_000)} }}`)).toThrow("nested too deeply");
  });

  test("a text that a filter makes a million times as long", () => {
    const source = "{% set s = range(2000) | join('') %}{{ s | replace('', s) | replace('', s) | length }}";
    expect(() => render(source)).toThrow(/too long/);
  });

  test("lists within lists, which a filter writes out without a step being counted", () => {
    const deeper = "{% set ns.l = [ns.l, ns.l, ns.l, ns.l, ns.l, ns.l, ns.l, ns.l] %}";
    const source = `{% set ns = namespace(l=[1]) %}{% for i in range(30) %}${deeper}{% endfor %}{{ ns.l | tojson }}`;
    expect(() => compileJinja(source)({}, { ...limits, maxMs: 50 })).toThrow("it took too long");
    expect(render("{{ 'still there' }}")).toBe("still there");
  });
});

describe("what is wrong is told with its line:", () => {
  test.each([
    ["a character that means nothing", "a\nb {{ $ }}\n{{ x }}", "unexpected character: $", 2],
    ["a tag that is not closed", "{{ x }}\n{{ y }\nz\n", "a tag is never closed", 2],
    ["a text that is not closed", "{{ x }}\n{% set y = 'abc %}\n{{ z }}\n", "a tag is never closed", 2],
    ["a comment that is not closed", "\n\n{# c", "a tag is never closed", 3],
    [
      "a block that is not closed",
      "{% for m in ms %}\n{% if m %}\n{% endfor %}\nb",
      "{% endfor %} stands where {% if %} of line 2 is still open",
      3,
    ],
    ["a block that is not closed at the end", "a\n{% if x %}\nb\n{{ c }}\n", "{% if %} has no {% endif %}", 2],
    ["an end without a block", "a\n\n{% endfor %}", "{% endfor %} stands in no block", 3],
    ["an expression that ends too early", "{{ 'a\\'b' }}{{ \"}}\" }}\n{{ b | }}\n", "unexpected token: }}", 2],
    [
      "a statement that does not exist",
      "{%- set x = 1 -%}\n\n{%- include 'x' -%}",
      "unknown statement type: include",
      3,
    ],
  ])("%s", (_, source, reason, line) => {
    expect(() => compileJinja(source)).toThrow(expect.objectContaining({ message: reason, line }));
  });

  test.each([
    ["raised", "{# a #}\n{% if true %}\n  {{- raise_exception('No') }}\n{% endif %}", "No", 3],
    [
      "in a branch behind others",
      "{% if false %}\n{% elif false %}\nx{% else %}\n{{ y.z() }}{% endif %}",
      /not a function/,
      4,
    ],
    [
      "in a loop",
      "{% generation %}\n{% endgeneration %}{% for i in range(2) %}\n{{ i | nonsense }}\n{% endfor %}",
      /nonsense/,
      3,
    ],
    ["in a macro", "{% macro m() %}\n{{ raise_exception('In it') }}\n{% endmacro %}\n{{ m() }}", "In it", 2],
    ["in a block that is set", "{% set t %}a\n{{ raise_exception('In it') }}{% endset %}{{ t }}", "In it", 2],
    [
      "too many steps",
      "a\n{% for i in range(9000) %}{% for j in range(9000) %}\n{% endfor %}{% endfor %}",
      /too many/,
      2,
    ],
  ])("an error %s", (_, source, reason, line) => {
    expect(() => render(source)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(reason) as string, line }),
    );
  });

  test("an error that a loop went past before is not taken for the last one", () => {
    const source =
      "{% for i in range(3) %}\n{% if i < 2 %}{% continue %}{% endif %}\n{{ raise_exception('Last') }}{% endfor %}";
    expect(() => render(source)).toThrow(expect.objectContaining({ message: "Last", line: 3 }));
  });
});
