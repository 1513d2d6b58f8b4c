/** What each command does, wherever it comes from: keys, the application menu, a button. */
import type { Message } from "../../src-main/contract/conversation.ts";
import type { App } from "./app.svelte.ts";
import type { OtherScreen } from "./route.svelte.ts";
import type { Command } from "./shortcuts.ts";

export function runCommand(command: Command, app: App): void {
  const { comparison, route, ui, settings } = app;
  if (route.screen !== "chat" && !runsOutsideChat(command)) {
    if (command === "stop" || command === "models") route.open(route.conversationId);
    if (command !== "models") return;
  }
  if (comparison.isOpen && isOfThread(command)) return;
  switch (command) {
    case "new-conversation":
      newConversation(app);
      return;
    case "search":
      openSidebar(app);
      ui.focusNext = "search";
      return;
    case "toggle-sidebar":
      if (ui.narrow) ui.drawer = ui.drawer === "list" ? null : "list";
      else void settings.update({ sidebarOpen: !settings.current.sidebarOpen });
      return;
    case "toggle-inspector":
      if (ui.medium) ui.drawer = ui.drawer === "inspector" ? null : "inspector";
      else void settings.update({ inspectorOpen: !settings.current.inspectorOpen });
      return;
    case "stop":
      stop(app);
      return;
    case "compare":
      if (comparison.isOpen) comparison.close();
      else openComparison(app);
      return;
    case "regenerate":
      regenerateLast(app);
      return;
    case "edit-last":
      editLast(app);
      return;
    case "previous-branch":
    case "next-branch":
      selectBranch(app, command === "next-branch" ? 1 : -1);
      return;
    case "models":
      ui.modelMenuOpen = true;
      return;
    case "settings":
      ui.dialog = { name: "settings" };
      return;
    case "help":
      ui.dialog = { name: "help" };
      return;
    case "memory":
      toggleScreen(app, "memory", route.screen === "memory");
      return;
    case "models-screen":
      toggleScreen(app, "models", route.screen === "models" || route.screen === "get-models");
      return;
  }
}

/** What the others are about is to be seen in the chat alone. Escape leads back to it, and so does the choice of a model. */
function runsOutsideChat(command: Command): boolean {
  const commands: readonly Command[] = [
    "new-conversation",
    "search",
    "toggle-sidebar",
    "settings",
    "help",
    "memory",
    "models-screen",
  ];
  return commands.includes(command);
}

/** What it is about is not to be seen while models are compared. */
function isOfThread(command: Command): boolean {
  return ["regenerate", "edit-last", "previous-branch", "next-branch"].includes(command);
}

function toggleScreen({ route, ui }: App, screen: OtherScreen, isShown: boolean): void {
  if (isShown) route.open(route.conversationId);
  else route.show(screen);
  ui.drawer = null;
}

function newConversation({ chat, comparison, route, ui }: App): void {
  comparison.close();
  route.open(null);
  chat.newConversation = {};
  ui.drawer = null;
  ui.focusNext = "composer";
}

/** Shows this answer in the inspector, wherever that is just now. */
export function inspect({ chat, ui, settings }: App, messageId: string): void {
  chat.inspectedMessageId = messageId;
  if (ui.medium) ui.drawer = "inspector";
  else if (!settings.current.inspectorOpen) void settings.update({ inspectorOpen: true });
}

/** Escape ends what is being written, then leads back to the conversation. */
function stop({ chat, comparison }: App): void {
  if (!comparison.isOpen) void chat.stop();
  else if (comparison.isRunning) void comparison.stop();
  else comparison.close();
}

function openComparison({ comparison, models, ui }: App): void {
  if (models.usable.length < 2) return;
  ui.modelMenuOpen = false;
  comparison.open();
}

function openSidebar({ ui, settings }: App): void {
  if (ui.narrow) ui.drawer = "list";
  else if (!settings.current.sidebarOpen) void settings.update({ sidebarOpen: true });
}

function regenerateLast({ chat }: App): void {
  const message = lastMessage(chat.ready?.messages, (candidate) => candidate.role === "assistant");
  if (message !== null && chat.ready?.generation === null) void chat.regenerate(message.id);
}

function editLast({ chat }: App): void {
  const message = lastMessage(chat.ready?.messages, (candidate) => candidate.role === "user");
  if (message !== null && chat.ready?.generation === null) chat.startEdit(message);
}

function selectBranch({ chat }: App, step: -1 | 1): void {
  const message = lastMessage(chat.ready?.messages, (candidate) => candidate.siblingIds.length > 1);
  if (message !== null && chat.ready?.generation === null) void chat.selectSibling(message, step);
}

function lastMessage(messages: readonly Message[] | undefined, matches: (message: Message) => boolean): Message | null {
  return messages?.findLast(matches) ?? null;
}
