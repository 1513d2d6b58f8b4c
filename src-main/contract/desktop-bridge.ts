/** What the sandboxed preload gives the page in the desktop window, as `window.repriseDesktop`. A browser tab has none of it. */

/** Commands the application menu sends to the focused window. */
export const menuCommands = [
  "new-conversation",
  "search",
  "toggle-sidebar",
  "toggle-inspector",
  "stop",
  "regenerate",
  "edit-last",
  "models",
  "settings",
  "help",
] as const;
export type MenuCommand = (typeof menuCommands)[number];

/** `data` of the window message that carries the port to main (its only transferred port). */
export const portMessage = "reprise:port";

export interface DesktopBridge {
  readonly platform: string;
  /** Asks main for a connection; it arrives as a window message `portMessage`. */
  connect(): void;
  /** The system's file dialog for one GGUF file; `null` when it was cancelled. */
  chooseModelFile(): Promise<string | null>;
  /** The same for an importance matrix, which need not be GGUF. */
  chooseImportanceMatrix(): Promise<string | null>;
  /** Where a dropped file lies on disk. */
  pathOfFile(file: File): string;
  /** Returns the unsubscriber. */
  onMenuCommand(listener: (command: MenuCommand) => void): () => void;
}
