/** What a reader knows of one conversation, and how each event of its watch changes that. */
import type { ChatEvent, Generation } from "../../src-main/contract/app-contract.ts";
import type { Conversation, Message } from "../../src-main/contract/conversation.ts";
import type { ErrorView } from "../../src-main/contract/errors.ts";
import type { ModelSwitch } from "../../src-main/contract/model-switch.ts";

export type ThreadState =
  | { readonly name: "loading" }
  | {
      readonly name: "ready";
      /** Of the last event taken in. */
      readonly seq: number;
      readonly conversation: Conversation;
      /** The active path. Messages that did not change keep their identity. */
      readonly messages: readonly Message[];
      readonly generation: Generation | null;
      /** It is being put in place under another model. */
      readonly switching: ModelSwitch | null;
    }
  | { readonly name: "deleted" }
  /** It cannot be read just now; it is tried again. */
  | { readonly name: "failed"; readonly error: ErrorView };

export type ReadyThread = Extract<ThreadState, { name: "ready" }>;

/** `null`: this event does not follow from what is known, so the thread must be watched from its start again. */
export function reduceThread(state: ThreadState, event: ChatEvent): ThreadState | null {
  if (event.type === "thread") {
    const { conversation, messages } = event.thread;
    const { seq, generation, switching } = event;
    return { name: "ready", seq, conversation, messages, generation, switching };
  }
  if (state.name !== "ready" || event.seq !== state.seq + 1) return null;
  const next: ReadyThread = { ...state, seq: event.seq };
  switch (event.type) {
    case "path":
      return goOn(next, event);
    case "phase":
      return { ...next, generation: event.generation };
    case "delta":
      return append(next, event);
    case "finished":
      return {
        ...next,
        messages: replaceMessage(next.messages, event.message.id, () => event.message),
        generation: next.generation?.generationId === event.generationId ? null : next.generation,
      };
    case "conversation":
      return { ...next, conversation: event.conversation };
    case "switching":
      return { ...next, switching: event.switching };
    case "deleted":
      return { name: "deleted" };
  }
}

function goOn(state: ReadyThread, event: Extract<ChatEvent, { type: "path" }>): ReadyThread | null {
  const { conversation, afterMessageId, generation } = event;
  const last = state.messages.findLastIndex(({ id }) => id === afterMessageId);
  if (last < 0 && afterMessageId !== null) return null;
  return { ...state, conversation, messages: [...state.messages.slice(0, last + 1), ...event.messages], generation };
}

function append(state: ReadyThread, delta: Extract<ChatEvent, { type: "delta" }>): ReadyThread {
  const messages = replaceMessage(state.messages, delta.messageId, (message) => ({
    ...message,
    content: message.content + delta.text,
  }));
  return { ...state, messages, generation: state.generation === null ? null : decoding(state.generation) };
}

/** The first text ends the reading of the prompt, also where that was never told. */
function decoding(generation: Generation): Generation {
  return generation.phase.name === "decode" ? generation : { ...generation, phase: { name: "decode" } };
}

/** The message is nearly always the last one. */
function replaceMessage(
  messages: readonly Message[],
  id: string,
  change: (message: Message) => Message,
): readonly Message[] {
  const index = messages.findLastIndex((message) => message.id === id);
  const message = messages[index];
  return message === undefined ? messages : messages.with(index, change(message));
}
