import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A file of the folder `resources`, which lies above the sources, above the built output and in the package: the first
 * that is found from `startFolder` upwards. Throws where there is none.
 */
export function findResource(name: string, startFolder: string): string {
  for (let folder = startFolder; ; folder = dirname(folder)) {
    const path = join(folder, "resources", name);
    if (existsSync(path)) return path;
    if (dirname(folder) === folder) throw new Error(`there is no resources/${name} above ${startFolder}`);
  }
}
