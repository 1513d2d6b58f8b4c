/** One of the two that are compared, so that a scenario is written once and played on both. */

/** What one turn took. Times in milliseconds. */
export interface Turn {
  /** The client's clock: from sending to the first text. */
  readonly ttftMs: number;
  /** By the side's own clock: ours until the first token was chosen, the peer's for computing the prompt. */
  readonly reportedMs: number | null;
  readonly promptTokens: number;
  /** Prompt tokens that were computed after sending, as the side itself says. */
  readonly computedTokens: number;
  readonly outputTokens: number;
  readonly tokensPerSecond: number | null;
  readonly text: string;
  /** All the side reported, for the file of results. */
  readonly report: unknown;
}

export interface Chat {
  send(text: string): Promise<Turn>;
  /** Replaces the last message that was sent, as a branch, and has it answered. */
  edit(text: string): Promise<Turn>;
  /** Another answer to the last message. */
  regenerate(): Promise<Turn>;
  /** What happens when somebody opens the conversation and does nothing yet. */
  open(): Promise<void>;
  /** The draft is now this, and will be sent later; `isPasted`: much of it came at once. */
  draft(text: string, isPasted: boolean): void;
}

export interface ChatOptions {
  readonly maxTokens: number;
}

export interface Side {
  readonly name: "reprise" | "llama-server";
  /** False: what is done before sending does not reach it, so that nobody needs to wait for it. */
  readonly worksAhead: boolean;
  newChat(options: ChatOptions): Promise<Chat>;
  /** Ends it and starts it again; resolves when it could answer. */
  restart(): Promise<void>;
  /** Resolves with the bytes ever written to disk when nothing is left to be done; `null` where nothing is stored. */
  settled(): Promise<number | null>;
}
