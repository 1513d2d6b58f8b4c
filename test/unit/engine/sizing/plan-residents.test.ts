import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { planRelease, planResidents } from "../../../../src-main/engine/sizing/plan-residents.ts";

const residents = [
  { id: "oldest", bytes: 30 },
  { id: "newest", bytes: 50 },
];
const plan = (neededBytes: number | null, freeBytes: number) =>
  planResidents({ neededBytes, freeBytes, reserveBytes: 10, residents });

describe("beside a model that is to be loaded", () => {
  test.each([
    ["all stay where there is room", 40, 50, [], true],
    ["the one longest unused goes first", 40, 20, ["oldest"], true],
    ["the last one goes only where that is not enough", 80, 20, ["oldest", "newest"], true],
    ["none stays where not even that is enough", 100, 20, ["oldest", "newest"], false],
    ["none stays where nobody knows what is needed", null, 1_000, ["oldest", "newest"], true],
  ] as const)("%s", (_, needed, free, close, isFitting) => {
    expect(plan(needed, free)).toEqual({ close, isFitting });
  });

  test("there are three at most, however much room there is", () => {
    const many = [...residents, { id: "third", bytes: 1 }, { id: "fourth", bytes: 1 }];
    const { close } = planResidents({ neededBytes: 1, freeBytes: 1e9, reserveBytes: 0, residents: many });
    expect(close).toEqual(["oldest", "newest"]);
  });

  test("no more make way than must", () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 100 }), { maxLength: 2 });
    const amounts = fc.record({ needed: fc.integer({ min: 0, max: 200 }), free: fc.integer({ min: 0, max: 200 }) });
    fc.assert(
      fc.property(sizes, amounts, (bytes, { needed, free }) => {
        const all = bytes.map((each, id) => ({ id, bytes: each }));
        const found = planResidents({ neededBytes: needed, freeBytes: free, reserveBytes: 0, residents: all });
        const left = (count: number) => all.slice(0, count).reduce((sum, each) => sum + each.bytes, free) - needed;
        expect(found.isFitting).toBe(left(found.close.length) >= 0);
        if (found.close.length > 0) expect(left(found.close.length - 1)).toBeLessThan(0);
      }),
    );
  });
});

test.each([
  [0, []],
  [30, ["oldest"]],
  [31, ["oldest", "newest"]],
  [1_000, ["oldest", "newest"]],
])("for %s missing bytes those longest unused make way", (missing, close) => {
  expect(planRelease(missing, residents)).toEqual(close);
});
