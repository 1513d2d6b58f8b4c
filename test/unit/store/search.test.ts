import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { addExchange, openTestStore } from "../../helpers/open-test-store.ts";

describe("searching", () => {
  test("finds titles before messages, by the first letters and without accents", () => {
    const store = openTestStore();
    const inMessage = addExchange(store, { answer: "A resume of the café's year." });
    const titled = store.conversations.create({ title: "My Résumé" }).id;
    expect(store.search("resu")).toEqual([
      { conversationId: titled, messageId: null, snippet: "My Résumé" },
      {
        conversationId: inMessage.conversationId,
        messageId: inMessage.answer.id,
        snippet: "A resume of the café's year.",
      },
    ]);
  });

  test("wants every word, in any order", () => {
    const store = openTestStore();
    const { conversationId } = addExchange(store, { answer: "Bread needs salt, water and time." });
    addExchange(store, { answer: "Time flies." });
    expect(store.search("time bread").map((hit) => hit.conversationId)).toEqual([conversationId]);
  });

  test("names each conversation once", () => {
    const store = openTestStore();
    const { conversationId } = addExchange(store, { question: "apples, apples", answer: "apples" });
    store.conversations.update(conversationId, { title: "Apples" });
    expect(store.search("apples")).toHaveLength(1);
  });

  test("finds an answer once it has ended, not the text on the way", () => {
    const store = openTestStore();
    const { conversationId, user } = addExchange(store);
    const { id } = store.messages.addAnswer({ conversationId, parentId: user.id, modelName: "model" });
    store.messages.checkpoint(id, { content: "unfinished marmalade", tokens: null });
    expect(store.search("marmalade")).toEqual([]);
    const end = { content: "finished marmalade", tokens: null, status: "stopped", error: null, report: null } as const;
    store.messages.finish(id, end);
    expect(store.search("marmalade")).toMatchObject([{ conversationId, messageId: id, snippet: "finished marmalade" }]);
    expect(store.search("unfinished")).toEqual([]);
  });

  test("forgets the old title", () => {
    const { conversations, search } = openTestStore();
    const { id } = conversations.create({ title: "Holidays" });
    conversations.update(id, { title: "Taxes" });
    expect(search("holidays")).toEqual([]);
    expect(search("taxes")).toHaveLength(1);
  });

  test("takes any text for words, never for query syntax", () => {
    const store = openTestStore();
    addExchange(store, { question: 'NOT "quoted* AND (near' });
    expect(store.search('NOT "quoted')).toHaveLength(1);
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(store.search(text).length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
