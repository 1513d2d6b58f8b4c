import type { EngineEvent } from "../contract/engine-contract.ts";

/** What an answer came to, beside sending it. */
export class AnswerNotes {
  text = "";
  done: Extract<EngineEvent, { type: "done" }> | null = null;
  readonly send: (event: EngineEvent) => void;

  constructor(send: (event: EngineEvent) => void) {
    this.send = (event) => {
      if (event.type === "delta") this.text += event.text;
      if (event.type === "done") this.done = event;
      send(event);
    };
  }
}
