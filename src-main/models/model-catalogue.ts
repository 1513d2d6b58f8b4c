/** The models that are recommended: a file that comes with the app, read when somebody wants to see them. */
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { catalogueEntrySchema, type CatalogueEntry } from "../contract/hub.ts";
import { findResource } from "./find-resource.ts";

const catalogueSchema = z.object({ models: z.array(catalogueEntrySchema).min(1) });

export class ModelCatalogue {
  readonly #path: string | null;
  #entries: Promise<CatalogueEntry[]> | null = null;

  /** `path`: another catalogue than the app's own. */
  constructor(path: string | null = null) {
    this.#path = path;
  }

  /** Throws where the file is missing or is no catalogue: a defect of the package. */
  entries(): Promise<CatalogueEntry[]> {
    this.#entries ??= read(this.#path ?? findResource("model-catalogue.json", import.meta.dirname));
    return this.#entries;
  }
}

async function read(path: string): Promise<CatalogueEntry[]> {
  return catalogueSchema.parse(JSON.parse(await readFile(path, "utf8"))).models;
}
