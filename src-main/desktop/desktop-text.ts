/** The few words main itself says in dialogs. Everything else is the page's, or the menu's in menu-text.ts. */
export type DesktopLocale = "en" | "de";

const english = {
  chooseModel: "Choose a model file",
  modelFiles: "GGUF models",
  chooseImatrix: "Choose an importance matrix",
  imatrixFiles: "Importance matrices",
  allFiles: "All files",
  cannotStart: "Reprise cannot start",
  alreadyRunning: "Reprise is already running",
  alreadyRunningDetail:
    "Another Reprise uses the same data folder, one without a window: probably “reprise serve” in a terminal. Go on in the browser at the address it printed, or end it and open Reprise again. Nothing was changed.",
  dataFolder: "Data folder",
  process: "Process",
  pageCrashed: "The window stopped working",
  pageCrashedDetail:
    "It stopped twice within a minute. Your conversations are stored, and an answer that was being written goes on in the background.",
  reload: "Reload",
  quit: "Quit",
};

export type DesktopText = Readonly<typeof english>;

const german: DesktopText = {
  chooseModel: "Modelldatei auswählen",
  modelFiles: "GGUF-Modelle",
  chooseImatrix: "Wichtigkeitsmatrix auswählen",
  imatrixFiles: "Wichtigkeitsmatrizen",
  allFiles: "Alle Dateien",
  cannotStart: "Reprise kann nicht starten",
  alreadyRunning: "Reprise läuft bereits",
  alreadyRunningDetail:
    "Ein anderes Reprise ohne Fenster benutzt denselben Datenordner, vermutlich „reprise serve“ in einem Terminal. Machen Sie im Browser unter der Adresse weiter, die es ausgegeben hat, oder beenden Sie es und öffnen Sie Reprise erneut. Es wurde nichts verändert.",
  dataFolder: "Datenordner",
  process: "Prozess",
  pageCrashed: "Das Fenster funktioniert nicht mehr",
  pageCrashedDetail:
    "Es ist innerhalb einer Minute zweimal stehen geblieben. Ihre Unterhaltungen sind gespeichert, und eine Antwort, die gerade geschrieben wurde, läuft im Hintergrund weiter.",
  reload: "Neu laden",
  quit: "Beenden",
};

export function desktopText(locale: DesktopLocale): DesktopText {
  return locale === "de" ? german : english;
}

/** `setting`: the user's choice; `systemLanguages`: what the system prefers, most preferred first. */
export function chooseLocale(setting: "system" | DesktopLocale, systemLanguages: readonly string[]): DesktopLocale {
  if (setting !== "system") return setting;
  return systemLanguages[0]?.toLowerCase().startsWith("de") === true ? "de" : "en";
}
