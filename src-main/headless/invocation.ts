import type { Sampling } from "../contract/conversation.ts";
import type { CommandHost } from "./command-host.ts";

/** Folders named on the command line; `null` leaves the choice to the environment and the platform. */
export interface FolderOptions {
  readonly data: string | null;
  readonly models: string | null;
}

export interface CommonOptions {
  readonly folders: FolderOptions;
  /** Print one JSON document instead of text for a person. */
  readonly json: boolean;
}

export interface ChatOptions extends CommonOptions {
  /** A conversation's id or the start of it; `null` begins a new one. */
  readonly conversation: string | null;
  /** A model's id or a path; `null` keeps what the conversation, else the app uses. */
  readonly model: string | null;
  readonly system: string | null;
  /** What was named of the sampling; the rest stays as it is. */
  readonly sampling: Partial<Pick<Sampling, "maxTokens" | "temperature" | "seed">>;
  /** `null`: read from the pipe, or ask on the terminal. */
  readonly message: string | null;
}

export interface ServeOptions extends CommonOptions {
  /** 0: any free port. */
  readonly port: number;
  /** Open the address in the browser. */
  readonly open: boolean;
}

export type ListOptions = CommonOptions;

export interface ConversationOptions extends CommonOptions {
  /** A conversation's id or the start of it. */
  readonly id: string;
}

export interface CacheCommandOptions extends CommonOptions {
  readonly action: "stats" | "verify" | "clear";
  /** To be restored and compared with computing it: a conversation's id or the start of it. */
  readonly conversation: string | null;
}

/** A subcommand of `models` brings along what it does. */
export interface ModelsInvocation {
  readonly command: "models";
  readonly subcommand: string;
  readonly options: CommonOptions;
  readonly run: (host: CommandHost) => Promise<void>;
}

/** What the command line asks for. */
export type Invocation =
  | ({ readonly command: "chat" } & ChatOptions)
  | ({ readonly command: "serve" } & ServeOptions)
  | ({ readonly command: "cache" } & CacheCommandOptions)
  | ModelsInvocation
  | ({ readonly command: "list" } & ListOptions)
  | ({ readonly command: "show" | "delete" } & ConversationOptions);
