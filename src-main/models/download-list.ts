/**
 * What is on its way, in a file of the data folder, so that the next start knows of it. Losing it loses only the list:
 * what has arrived lies in the models folder, and asking for the model again goes on from there.
 */
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { modelFilesSchema } from "../contract/hub.ts";
import { isMissing, toStorageTrouble } from "./storage-trouble.ts";

const listSchema = z.array(
  z.object({
    id: z.string(),
    repository: z.string(),
    revision: z.string(),
    level: z.string(),
    files: modelFilesSchema,
    isPaused: z.boolean(),
  }),
);
type DownloadRecords = z.infer<typeof listSchema>;

export class DownloadList {
  readonly #path: string;
  #saving: Promise<void> = Promise.resolve();

  constructor(dataFolder: string) {
    this.#path = join(dataFolder, "downloads.json");
  }

  /** None where there is no list, or one that cannot be understood. Throws STORAGE_FAILED. */
  async load(): Promise<DownloadRecords> {
    try {
      return listSchema.parse(JSON.parse(await readFile(this.#path, "utf8")));
    } catch (caught) {
      if (isMissing(caught) || caught instanceof SyntaxError || caught instanceof z.ZodError) return [];
      throw toStorageTrouble(caught, this.#path);
    }
  }

  /** One after the other, each whole or not at all. Throws STORAGE_FAILED. */
  save(records: readonly DownloadRecords[number][]): Promise<void> {
    const text = JSON.stringify(records);
    this.#saving = this.#saving.catch(() => undefined).then(() => this.#write(text));
    return this.#saving;
  }

  async #write(text: string): Promise<void> {
    try {
      await writeFile(`${this.#path}.new`, text);
      await rename(`${this.#path}.new`, this.#path);
    } catch (caught) {
      throw toStorageTrouble(caught, this.#path);
    }
  }
}
