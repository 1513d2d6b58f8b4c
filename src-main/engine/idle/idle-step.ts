import type { PromptMessage, Tool } from "../../contract/engine-contract.ts";

export interface IdlePrompt {
  readonly conversationId: string;
  readonly messages: readonly PromptMessage[];
  readonly tools?: readonly Tool[];
}

/** What one step of idle work came to. */
export interface IdleStep {
  /** How many of the prompt's tokens are in place. */
  readonly tokens: number;
  readonly isLast: boolean;
}

/** What all steps came to. */
export interface IdleOutcome {
  /** How many of the prompt's tokens are in place. */
  readonly tokens: number;
  /** Ended before its last step. */
  readonly isInterrupted: boolean;
}

export const nothingToDo: IdleStep = { tokens: 0, isLast: true };
