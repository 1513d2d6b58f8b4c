import { app, dialog } from "electron";
import { exitCodes } from "../contract/exit-codes.ts";
import { toRepriseError, type RepriseError } from "../contract/errors.ts";
import { chooseLocale, desktopText, type DesktopText } from "./desktop-text.ts";

function isAlreadyRunning(error: RepriseError): error is RepriseError<"ALREADY_RUNNING"> {
  return error.code === "ALREADY_RUNNING";
}

/** What the dialog says when the app cannot open. */
export function startFailureText(caught: unknown, text: DesktopText): { message: string; detail: string } {
  const error = toRepriseError(caught);
  if (isAlreadyRunning(error)) {
    const { dataFolder, pid } = error.data;
    const where = `${text.dataFolder}: ${dataFolder}`;
    const facts = pid === null ? where : `${where}\n${text.process}: ${pid}`;
    return { message: text.alreadyRunning, detail: `${text.alreadyRunningDetail}\n\n${facts}` };
  }
  return { message: text.cannotStart, detail: error.message };
}

/** Says why the app cannot open, and ends it with the code that tells `npm start` that this was said. */
export async function endWithReason(caught: unknown): Promise<void> {
  await app.whenReady();
  const text = desktopText(chooseLocale("system", app.getPreferredSystemLanguages()));
  const { message, detail } = startFailureText(caught, text);
  process.stderr.write(`${message}: ${detail}\n`);
  await dialog.showMessageBox({ type: "error", title: "Reprise", message, detail, buttons: [text.quit], noLink: true });
  app.exit(exitCodes.saidWhyItCannotStart);
}
