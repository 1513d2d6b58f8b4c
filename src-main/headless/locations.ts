/** Where the parts of Reprise lie: beside the sources, or in the built output. */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";

export interface Locations {
  /** What the engine process runs. */
  readonly engineEntry: string;
  /** What a quantizer process runs. */
  readonly quantizerEntry: string;
  /** `null` where the renderer has not been built. */
  readonly rendererFolder: string | null;
}

/** `file`: the path of a module of this folder, or of the bundle it ended up in. */
export function locate(file: string, exists: (path: string) => boolean = existsSync): Locations {
  const { engineEntry, quantizerEntry, outFolder } = file.endsWith(".ts") ? besideSources(file) : inOutput(file);
  const rendererFolder = join(outFolder, "renderer");
  return {
    engineEntry,
    quantizerEntry,
    rendererFolder: exists(join(rendererFolder, "index.html")) ? rendererFolder : null,
  };
}

type Entries = Pick<Locations, "engineEntry" | "quantizerEntry"> & { readonly outFolder: string };

function besideSources(file: string): Entries {
  const sources = dirname(dirname(file));
  return {
    engineEntry: join(sources, "engine", "entry.ts"),
    quantizerEntry: join(sources, "quantize", "entry.ts"),
    outFolder: join(dirname(sources), "out"),
  };
}

/** The bundler puts what two entries share into a folder of its own below theirs. */
function inOutput(file: string): Entries {
  const folder = dirname(file);
  const main = basename(folder) === "chunks" ? dirname(folder) : folder;
  return {
    engineEntry: join(main, "engine.js"),
    quantizerEntry: join(main, "quantizer.js"),
    outFolder: dirname(main),
  };
}

export const locations = (): Locations => locate(import.meta.filename);
