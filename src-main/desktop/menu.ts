import type { MenuItemConstructorOptions } from "electron";
import type { MenuCommand } from "../contract/desktop-bridge.ts";
import type { MenuText } from "./menu-text.ts";

export interface MenuOptions {
  readonly platform: NodeJS.Platform;
  readonly text: MenuText;
  /** Adds reloading and the developer tools. */
  readonly isDevelopment: boolean;
  readonly send: (command: MenuCommand) => void;
}

type Item = MenuItemConstructorOptions;
/** The roles used here carry their own names as keys of the texts. */
type LabelledRole = Extract<keyof MenuText, NonNullable<Item["role"]>>;

/** What every menu is made with. */
interface Parts {
  readonly text: MenuText;
  readonly isMac: boolean;
  readonly roles: (...names: LabelledRole[]) => Item[];
  readonly command: (label: string, name: MenuCommand) => Item;
}

const separator: Item = { type: "separator" };

/** Letters without Ctrl or Cmd are the page's own keys: as accelerators they would be taken from what is being typed. */
const accelerators: Partial<Record<MenuCommand, string>> = {
  "new-conversation": "CmdOrCtrl+N",
  search: "CmdOrCtrl+K",
  models: "CmdOrCtrl+L",
  settings: "CmdOrCtrl+,",
  "toggle-sidebar": "CmdOrCtrl+B",
};

/** The application menu in the platform's order: on macOS the settings are in the app's own menu, elsewhere in File. */
export function menuTemplate({ platform, text, isDevelopment, send }: MenuOptions): Item[] {
  const isMac = platform === "darwin";
  const roles: Parts["roles"] = (...names) => names.map((role) => ({ role, label: text[role] }));
  const command: Parts["command"] = (label, name) => {
    const click = () => {
      send(name);
    };
    const accelerator = accelerators[name];
    return accelerator === undefined ? { label, click } : { label, click, accelerator };
  };
  const parts: Parts = { text, isMac, roles, command };
  const menus = [
    fileMenu(parts),
    editMenu(parts),
    conversationMenu(parts),
    viewMenu(parts, isDevelopment),
    windowMenu(parts),
    helpMenu(parts),
  ];
  return isMac ? [macAppMenu(parts), ...menus] : menus;
}

function macAppMenu({ text, roles, command }: Parts): Item {
  const groups = [
    roles("about"),
    [command(text.settings, "settings")],
    roles("services"),
    roles("hide", "hideOthers", "unhide"),
    roles("quit"),
  ];
  return { label: "Reprise", submenu: groups.flatMap((group, index) => (index === 0 ? group : [separator, ...group])) };
}

function fileMenu({ text, isMac, roles, command }: Parts): Item {
  const end = isMac ? roles("close") : [command(text.settings, "settings"), separator, ...roles("quit")];
  const start = [command(text.newConversation, "new-conversation"), command(text.models, "models")];
  return { label: text.file, submenu: [...start, separator, ...end] };
}

function editMenu({ text, roles, command }: Parts): Item {
  const clipboard = roles("cut", "copy", "paste", "pasteAndMatchStyle", "selectAll");
  const search = command(text.search, "search");
  return { label: text.edit, submenu: [...roles("undo", "redo"), separator, ...clipboard, separator, search] };
}

function conversationMenu({ text, command }: Parts): Item {
  const again = [command(text.editLast, "edit-last"), command(text.regenerate, "regenerate")];
  return { label: text.conversation, submenu: [...again, separator, command(text.stop, "stop")] };
}

function viewMenu({ text, roles, command }: Parts, isDevelopment: boolean): Item {
  const panels = [command(text.sidebar, "toggle-sidebar"), command(text.inspector, "toggle-inspector")];
  const sizes = [...roles("resetZoom", "zoomIn", "zoomOut"), separator, ...roles("togglefullscreen")];
  const development = isDevelopment ? [separator, ...roles("reload", "toggleDevTools")] : [];
  return { label: text.view, submenu: [...panels, separator, ...sizes, ...development] };
}

function windowMenu({ text, isMac, roles }: Parts): Item {
  const rest = isMac ? roles("zoom", "front") : roles("close");
  return { role: "window", label: text.window, submenu: [...roles("minimize"), ...rest] };
}

function helpMenu({ text, isMac, roles, command }: Parts): Item {
  const about = isMac ? [] : [separator, ...roles("about")];
  return { role: "help", label: text.help, submenu: [command(text.shortcuts, "help"), ...about] };
}

/** What a right click offers: editing in a field, copying of a selection, nothing elsewhere. */
export function contextMenuTemplate(
  text: MenuText,
  { isEditable, selectionText }: { isEditable: boolean; selectionText: string },
): Item[] {
  const copying: readonly LabelledRole[] = selectionText.trim() === "" ? [] : ["copy"];
  const roles: readonly LabelledRole[] = isEditable ? ["cut", "copy", "paste", "selectAll"] : copying;
  return roles.map((role) => ({ role, label: text[role] }));
}
