/** Takes the data folder's lock and keeps it until it is killed; says why where it cannot. */
import { toRepriseError } from "../../src-main/contract/errors.ts";
import { lockDataFolder } from "../../src-main/store/data-folder-lock.ts";

function lock(folder: string): string {
  try {
    lockDataFolder(folder);
    return "locked";
  } catch (caught) {
    return toRepriseError(caught).code;
  }
}

process.stdout.write(`${lock(String(process.argv[2]))}\n`);
setInterval(() => undefined, 60_000);
