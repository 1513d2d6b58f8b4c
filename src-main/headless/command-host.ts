import type { Folders, MachineFacts } from "../app/folders.ts";
import type { LoopbackOptions } from "../loopback/loopback-server.ts";
import type { Terminal } from "./terminal.ts";

/** An app of this process. */
export interface OpenedApp {
  readonly router: LoopbackOptions["router"];
  /** Ends its engine too. */
  close(): Promise<void>;
}

export interface OpenOptions {
  /** Whether a missing default model is fetched in the background, before anybody asks for it. */
  readonly fetchDefaultModel: boolean;
}

/** What a command needs of its surroundings. */
export interface CommandHost {
  readonly terminal: Terminal;
  /** Aborted, with a StopCause as reason, when the command is to end. */
  readonly stop: AbortSignal;
  readonly machine: MachineFacts;
  /** The built pages; `null` where there are none. */
  readonly rendererFolder: string | null;
  /** Throws ALREADY_RUNNING, FOLDER_UNWRITABLE, STORAGE_FAILED, DATABASE_NEWER. */
  openApp(folders: Folders, options: OpenOptions): Promise<OpenedApp>;
}
