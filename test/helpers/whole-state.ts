import { readFileSync, writeFileSync } from "node:fs";
import type { StateFolder } from "../../src-main/engine/llama/state-folder.ts";
import type { RawContext } from "./raw-context.ts";

/** The whole state of a context's active sequence, through files of `folder`. */
export function wholeStates(folder: StateFolder) {
  return {
    save: async ({ sequences }: RawContext): Promise<Buffer> =>
      await folder.use(1e6, async (path) => {
        await sequences.saveWhole(path);
        return readFileSync(path);
      }),
    load: async ({ sequences }: RawContext, bytes: Buffer, sequence = 0): Promise<void> => {
      await folder.use(1e6, async (path) => {
        writeFileSync(path, bytes);
        await sequences.load(path, sequence, bytes.length);
      });
    },
  };
}
