import { type Conversation, defaultSampling, type Message, type Thread } from "../../src-main/contract/conversation.ts";

const noon = new Date(2026, 10, 29, 12, 0).getTime();

export function sampleConversation(changes: Partial<Conversation> = {}): Conversation {
  return {
    id: "k3jd93kd02ms",
    title: "Capitals",
    modelId: null,
    createdAt: noon,
    updatedAt: noon + 60_000,
    pinned: false,
    archived: false,
    generating: false,
    systemPrompt: "",
    sampling: defaultSampling,
    overflowPolicy: "ask",
    folder: null,
    activeLeafId: null,
    ...changes,
  };
}

export function sampleMessage(changes: Partial<Message> = {}): Message {
  const id = changes.id ?? "m1";
  return {
    id,
    conversationId: "k3jd93kd02ms",
    parentId: null,
    role: "user",
    content: "What is the capital of France?",
    status: "complete",
    createdAt: noon,
    modelName: null,
    modelId: null,
    modelLevel: null,
    siblingIds: [id],
    error: null,
    report: null,
    ...changes,
  };
}

export function sampleThread(messages: readonly Message[], conversation: Partial<Conversation> = {}): Thread {
  return { conversation: sampleConversation(conversation), messages: [...messages] };
}
