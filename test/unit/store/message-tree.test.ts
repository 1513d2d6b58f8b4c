import fc from "fast-check";
import { expect, test } from "vitest";
import { openTestStore } from "../../helpers/open-test-store.ts";

interface Node {
  readonly id: string;
  readonly parentId: string | null;
}

/** What the store must agree with, written to be obviously right and slow. */
class NaiveTree {
  readonly nodes: Node[] = [];
  leafId: string | null = null;

  add(node: Node): void {
    this.nodes.push(node);
    this.leafId = node.id;
  }

  path(): string[] {
    const ids: string[] = [];
    for (let id = this.leafId; id !== null; id = this.nodes.find((node) => node.id === id)?.parentId ?? null)
      ids.unshift(id);
    return ids;
  }

  siblings(id: string): string[] {
    const parentId = this.nodes.find((node) => node.id === id)?.parentId;
    return this.nodes.filter((node) => node.parentId === parentId).map((node) => node.id);
  }

  newestLeaf(id: string): string {
    const family = new Set([id]);
    for (const node of this.nodes) if (node.parentId !== null && family.has(node.parentId)) family.add(node.id);
    const leaves = this.nodes.filter(
      (node) => family.has(node.id) && !this.nodes.some(({ parentId }) => parentId === node.id),
    );
    return leaves.at(-1)?.id ?? id;
  }
}

/** `at`: which of the messages there are, as a share of their number; -1 for none. */
const at = fc.oneof(
  { weight: 1, arbitrary: fc.constant(-1) },
  { weight: 6, arbitrary: fc.double({ min: 0, max: 0.999, noNaN: true }) },
);
const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("user" as const), at, content: fc.string({ unit: "grapheme" }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant("answer" as const), at, content: fc.string({ unit: "grapheme" }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("select" as const), at, content: fc.constant("") }) },
);

function nodeAt(tree: NaiveTree, position: number): string | null {
  return position < 0 ? null : (tree.nodes[Math.floor(position * tree.nodes.length)]?.id ?? null);
}

test("any tree gives the path, siblings, newest leaves and texts of a naive one", () => {
  const { conversations, messages } = openTestStore();
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 30 }), (operations) => {
      const conversationId = conversations.create({}).id;
      const tree = new NaiveTree();
      const contents = new Map<string, string>();
      for (const { type, at: position, content } of operations) {
        const parentId = nodeAt(tree, position);
        if (type === "select") {
          conversations.setActiveLeaf(conversationId, parentId);
          tree.leafId = parentId;
        } else if (type === "answer" && parentId !== null) {
          const { id } = messages.addAnswer({ conversationId, parentId, modelName: "model" });
          messages.finish(id, { content, tokens: null, status: "complete", error: null, report: null });
          tree.add({ id, parentId });
          contents.set(id, content);
        } else {
          const { id } = messages.addUserMessage({ conversationId, parentId, content });
          tree.add({ id, parentId });
          contents.set(id, content);
        }
      }
      const path = messages.activePath(conversationId);
      expect(path.map(({ id, content, siblingIds }) => ({ id, content, siblingIds }))).toEqual(
        tree.path().map((id) => ({ id, content: contents.get(id), siblingIds: tree.siblings(id) })),
      );
      for (const { id } of tree.nodes) {
        expect(messages.newestLeaf(id)).toBe(tree.newestLeaf(id));
        expect(messages.get(id).siblingIds).toEqual(tree.siblings(id));
      }
    }),
    { numRuns: 60 },
  );
});
