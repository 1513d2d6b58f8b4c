import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { conversationRemoval } from "../../../../src-main/engine/kv/conversation-removal.ts";

interface TestBlock {
  readonly key: string;
  readonly parent: string;
  readonly conversationId: string | null;
}

const block = (key: string, parent: string, conversationId: string | null): TestBlock => ({
  key,
  parent,
  conversationId,
});
const keysOf = (blocks: readonly TestBlock[]) => blocks.map(({ key }) => key);

describe("when a conversation is deleted", () => {
  test("what nobody went on from goes", () => {
    const blocks = [block("a", "root", "one"), block("b", "a", "one"), block("c", "root", "two")];
    expect(conversationRemoval(blocks, "one")).toEqual({ removed: blocks.slice(0, 2), inherited: [] });
  });

  test("what another one went on from is that one's, all the way to the first", () => {
    const blocks = [block("a", "root", "one"), block("b", "a", "one"), block("c", "b", "two"), block("d", "b", "one")];
    const { removed, inherited } = conversationRemoval(blocks, "one");
    expect(keysOf(removed)).toEqual(["d"]);
    expect(inherited).toMatchObject([block("a", "root", "two"), block("b", "a", "two")]);
  });

  test("what nobody knows whose it is goes on from it, and keeps it", () => {
    const blocks = [block("a", "root", "one"), block("b", "a", null)];
    expect(conversationRemoval(blocks, "one")).toMatchObject({ removed: [], inherited: [block("a", "root", null)] });
  });

  test("all of it is removed or inherited, and nothing that others stand on is removed", () => {
    const owner = fc.constantFrom("one", "two", "three", null);
    const tree = fc
      .array(fc.tuple(fc.nat(), owner), { maxLength: 40 })
      .map((rows) =>
        rows.map(([place, conversationId], index) =>
          block(`b${index}`, index === 0 || place % 3 === 0 ? "root" : `b${place % index}`, conversationId),
        ),
      );
    fc.assert(
      fc.property(tree, (blocks) => {
        const { removed, inherited } = conversationRemoval(blocks, "one");
        const own = blocks.filter(({ conversationId }) => conversationId === "one");
        expect(new Set(keysOf([...removed, ...inherited]))).toEqual(new Set(keysOf(own)));
        const gone = new Set(keysOf(removed));
        const left = blocks.filter(({ key }) => !gone.has(key));
        expect(left.filter(({ parent }) => gone.has(parent))).toEqual([]);
        const changed = new Map(inherited.map((each) => [each.key, each]));
        expect(left.filter(({ key }) => (changed.get(key) ?? block(key, "", null)).conversationId === "one")).toEqual(
          [],
        );
        for (const { key, conversationId } of inherited) {
          const children = left.filter(({ parent }) => parent === key).map((child) => changed.get(child.key) ?? child);
          expect(children.map((child) => child.conversationId)).toContain(conversationId);
        }
      }),
    );
  });
});
