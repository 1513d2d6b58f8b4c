import Database from "better-sqlite3";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { messageSchema } from "../../../src-main/contract/conversation.ts";
import { codedError } from "../../helpers/coded-error.ts";
import { addExchange, openTestStore } from "../../helpers/open-test-store.ts";
import { sampleReport } from "../../helpers/sample-report.ts";

const ended = { status: "complete", error: null, report: null } as const;

describe("a user's message", () => {
  test("is the active leaf, complete, and the contract's", () => {
    const { conversations, messages } = openTestStore();
    const { id: conversationId } = conversations.create({});
    const message = messages.addUserMessage({ conversationId, parentId: null, content: "שלום 👋🏽" });
    expect(messageSchema.parse(message)).toEqual(message);
    expect(message).toMatchObject({ role: "user", status: "complete", content: "שלום 👋🏽", siblingIds: [message.id] });
    expect(conversations.get(conversationId)).toMatchObject({ activeLeafId: message.id, updatedAt: message.createdAt });
  });

  test("is on disk when the call returns", () => {
    const { folder, ...store } = openTestStore();
    const { user } = addExchange(store, { question: "Is it there?" });
    const reader = new Database(join(folder, "reprise.db"), { readonly: true });
    const content = reader.prepare("SELECT content FROM message WHERE id = ?").pluck().get(user.id);
    reader.close();
    expect(content).toBe("Is it there?");
  });

  test("with a parent in another conversation is refused and changes nothing", () => {
    const store = openTestStore();
    const other = addExchange(store);
    const { id: conversationId } = store.conversations.create({});
    const before = store.conversations.get(conversationId);
    expect(() => store.messages.addUserMessage({ conversationId, parentId: other.answer.id, content: "Hi" })).toThrow(
      codedError("NOT_FOUND", { what: "message", id: other.answer.id }),
    );
    expect(store.conversations.get(conversationId)).toEqual(before);
  });
});

describe("an answer", () => {
  test("streams from empty, keeps each checkpoint, and ends with its report", () => {
    const { conversations, messages } = openTestStore();
    const { id: conversationId } = conversations.create({});
    const user = messages.addUserMessage({ conversationId, parentId: null, content: "Count." });
    const answer = messages.addAnswer({ conversationId, parentId: user.id, modelName: "model.gguf" });
    expect(answer).toMatchObject({ role: "assistant", status: "streaming", content: "", modelName: "model.gguf" });

    messages.checkpoint(answer.id, { content: "One, two", tokens: [11, 12] });
    expect(messages.get(answer.id)).toMatchObject({ status: "streaming", content: "One, two", report: null });

    const report = sampleReport({ outputTokens: 3 });
    const last = messages.finish(answer.id, { ...ended, content: "One, two, three", tokens: [11, 12, 13], report });
    const said = { status: "complete", content: "One, two, three", report } as const;
    // The engine knows the level once it has read the file.
    expect(last).toEqual({ ...answer, ...said, modelLevel: report.model?.level });
    expect(messages.get(answer.id)).toEqual(last);
  });

  test("remembers which model of the list wrote it, also where it never came to its end", () => {
    const { conversations, messages } = openTestStore();
    const { id: conversationId } = conversations.create({});
    const user = messages.addUserMessage({ conversationId, parentId: null, content: "Go." });
    const model = { modelName: "model.gguf", modelId: "m1", modelLevel: "Q8_0" };
    const { id } = messages.addAnswer({ conversationId, parentId: user.id, ...model });
    expect(messages.finish(id, { ...ended, content: "Half an", tokens: null })).toMatchObject(model);
    expect(messages.activePath(conversationId)).toMatchObject([{ modelId: null, modelLevel: null }, model]);
  });

  test("that failed keeps its text and says why", () => {
    const { conversations, messages } = openTestStore();
    const { id: conversationId } = conversations.create({});
    const user = messages.addUserMessage({ conversationId, parentId: null, content: "Go." });
    const { id } = messages.addAnswer({ conversationId, parentId: user.id, modelName: "model.gguf" });
    const error = { code: "ENGINE_CRASHED", message: "The engine ended.", data: { cause: "SIGABRT" } };
    messages.finish(id, { content: "Half an", tokens: null, status: "failed", error, report: null });
    expect(messages.get(id)).toMatchObject({ status: "failed", content: "Half an", error });
  });

  test("that has ended is never overwritten", () => {
    const store = openTestStore();
    const { answer } = addExchange(store, { answer: "Done." });
    const late = { content: "Late", tokens: null };
    const notFound = codedError("NOT_FOUND", { what: "message", id: answer.id });
    expect(() => {
      store.messages.checkpoint(answer.id, late);
    }).toThrow(notFound);
    expect(() => store.messages.finish(answer.id, { ...ended, ...late })).toThrow(notFound);
    expect(store.messages.get(answer.id)).toEqual(answer);
  });

  test("of a conversation deleted meanwhile is NOT_FOUND", () => {
    const { conversations, messages } = openTestStore();
    const { id: conversationId } = conversations.create({});
    const user = messages.addUserMessage({ conversationId, parentId: null, content: "Go." });
    const { id } = messages.addAnswer({ conversationId, parentId: user.id, modelName: "model.gguf" });
    conversations.delete(conversationId);
    expect(() => {
      messages.checkpoint(id, { content: "Half", tokens: null });
    }).toThrow(codedError("NOT_FOUND"));
  });

  test("whose report is not one is refused whole", () => {
    const { conversations, messages } = openTestStore();
    const { id: conversationId } = conversations.create({});
    const user = messages.addUserMessage({ conversationId, parentId: null, content: "Go." });
    const { id } = messages.addAnswer({ conversationId, parentId: user.id, modelName: "model.gguf" });
    const report = sampleReport({ prefillMs: -1 });
    expect(() => messages.finish(id, { ...ended, content: "Text", tokens: null, report })).toThrow(/prefillMs/);
    expect(messages.get(id)).toMatchObject({ status: "streaming", content: "" });
  });
});

describe("the prompt", () => {
  test("is the system prompt and the path, with the token ids the engine produced", () => {
    const store = openTestStore();
    const { conversationId, answer } = addExchange(store, { question: "Why?", answer: "Because." });
    store.conversations.update(conversationId, { systemPrompt: "Be brief." });
    const parentId = answer.id;
    const next = store.messages.addUserMessage({ conversationId, parentId, content: "And then?" });
    expect(store.messages.prompt(next.id)).toEqual([
      { role: "system", content: "Be brief.", tokens: null },
      { role: "user", content: "Why?", tokens: null },
      { role: "assistant", content: "Because.", tokens: [1, 2] },
      { role: "user", content: "And then?", tokens: null },
    ]);
  });

  test("leaves out an empty system prompt, and the other branches", () => {
    const store = openTestStore();
    const { conversationId } = addExchange(store, { question: "Why?" });
    const edited = store.messages.addUserMessage({ conversationId, parentId: null, content: "How?" });
    expect(store.messages.prompt(edited.id)).toEqual([{ role: "user", content: "How?", tokens: null }]);
  });
});

test("a report in a form this version does not know costs its figures, not the message", () => {
  const { folder, ...store } = openTestStore();
  const { answer } = addExchange(store);
  const other = new Database(join(folder, "reprise.db"));
  other.exec(
    `INSERT INTO turn_report SELECT number, '{"promptTokens": "many"}' FROM message WHERE id = '${answer.id}'`,
  );
  other.close();
  expect(store.messages.get(answer.id)).toEqual(answer);
});
