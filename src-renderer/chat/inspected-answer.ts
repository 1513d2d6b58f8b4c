import type { Message } from "../../src-main/contract/conversation.ts";
import type { TurnReport } from "../../src-main/contract/turn-report.ts";

export interface InspectedAnswer {
  readonly message: Message;
  readonly report: TurnReport;
  /** Which of the thread's answers it is, from 1. */
  readonly turn: number;
  readonly turns: number;
}

/** The chosen answer, else the last one that has a report. */
export function inspectedAnswer(messages: readonly Message[], chosenId: string | null): InspectedAnswer | null {
  const answers = messages.filter((message) => message.role === "assistant");
  const chosen = answers.findLastIndex((message) => message.id === chosenId && message.report !== null);
  const index = chosen === -1 ? answers.findLastIndex((message) => message.report !== null) : chosen;
  const message = answers[index];
  if (message === undefined || message.report === null) return null;
  return { message, report: message.report, turn: index + 1, turns: answers.length };
}
