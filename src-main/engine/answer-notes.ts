import type { EngineEvent, GenerateInput } from "../contract/engine-contract.ts";
import type { IdlePrompt } from "./idle/idle-step.ts";

type Done = Extract<EngineEvent, { type: "done" }>;

/** What an answer came to, beside sending it. */
export class AnswerNotes {
  readonly send: (event: EngineEvent) => void;
  #text = "";
  #done: Done | null = null;

  constructor(send: (event: EngineEvent) => void) {
    this.send = (event) => {
      if (event.type === "delta") this.#text += event.text;
      if (event.type === "done") this.#done = event;
      send(event);
    };
  }

  /** `null` until it has ended, and where it failed. */
  get done(): Done | null {
    return this.#done;
  }

  /** The conversation with the answer as its last message; `null` for a side prompt, and where there is no answer. */
  answered({ kind, conversationId, messages, tools }: GenerateInput): IdlePrompt | null {
    if (kind === "side" || this.#done === null || this.#text === "") return null;
    const answer = { role: "assistant" as const, content: this.#text, tokens: this.#done.answerTokens };
    return { conversationId, messages: [...messages, answer], ...(tools && { tools }) };
  }
}
