/** Writes into a store without a pause until it is killed, and tells of each write once the store says it is done. */
import { writeSync } from "node:fs";
import { openStore } from "../../src-main/store/open-store.ts";
import { sampleReport } from "./sample-report.ts";

const { conversations, messages } = openStore({ folder: String(process.argv[2]) }).store;

function tell(type: "user" | "progress" | "finished", id: string, content: string): void {
  writeSync(1, `${JSON.stringify({ type, id, content })}\n`);
}

function askAndAnswer(conversationId: string, parentId: string | null, number: number): string {
  const user = messages.addUserMessage({ conversationId, parentId, content: `question ${number}` });
  tell("user", user.id, user.content);
  const answer = messages.addAnswer({ conversationId, parentId: user.id, modelName: "model" });
  const words = Array.from({ length: 5 }, (_, index) => `answer ${number} word ${index}`);
  for (const count of words.keys()) {
    const content = words.slice(0, count + 1).join(" ");
    messages.checkpoint(answer.id, { content, tokens: [number, count] });
    tell("progress", answer.id, content);
  }
  const content = words.join(" ");
  messages.finish(answer.id, { content, tokens: [number], status: "complete", error: null, report: sampleReport() });
  tell("finished", answer.id, content);
  return answer.id;
}

const { id } = conversations.create({ title: "written until killed" });
for (let number = 0, parentId: string | null = null; ; number += 1) parentId = askAndAnswer(id, parentId, number);
