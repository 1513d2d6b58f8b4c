import { onTestFinished } from "vitest";
import type { Store } from "../../src-main/app/ports.ts";
import { openStore } from "../../src-main/store/open-store.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A store in a folder of its own, closed with the test. Its type is the one the use cases ask for. */
export function openTestStore(folder: string = temporaryFolder()) {
  const { store, notices } = openStore({ folder });
  onTestFinished(() => {
    store.close();
  });
  const asPort: Store = store;
  return { ...asPort, search: store.conversations.search, folder, notices };
}

/** A conversation with one question and its finished answer. */
export function addExchange(store: Store, { question = "Why?", answer = "Because." } = {}) {
  const conversationId = store.conversations.create({ title: "Reasons" }).id;
  const user = store.messages.addUserMessage({ conversationId, parentId: null, content: question });
  const { id } = store.messages.addAnswer({ conversationId, parentId: user.id, modelName: "model.gguf" });
  const end = { content: answer, tokens: [1, 2], status: "complete", error: null, report: null } as const;
  return { conversationId, user, answer: store.messages.finish(id, end) };
}
