/** Reads what the echo engine takes for models: files that begin with GGUF, all of one family. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { RepriseOptions } from "../../src-main/app/compose.ts";
import { RepriseError } from "../../src-main/contract/errors.ts";

const traits = {
  familyId: "echofam0echo",
  statement: "named",
  name: "Echo",
  weightsMark: null,
  parametersLabel: null,
} as const;

export function echoReader(): NonNullable<RepriseOptions["modelReader"]> {
  const content = (path: string) =>
    readFile(path).catch(() => {
      throw new RepriseError("MODEL_MISSING", `There is no file at ${path}.`, { path });
    });
  return {
    read: async (path) => {
      const bytes = await content(path);
      const kind = "model";
      if (bytes.subarray(0, 4).toString("latin1") !== "GGUF")
        return { version: 2, kind, summary: null, reason: "it is not a GGUF file", traits: null, footprint: null };
      const name = basename(path, ".gguf");
      const shape = { architecture: "echo", quantization: null, trainedContextTokens: 512, layers: 1 };
      const summary = { name, ...shape, sizeBytes: bytes.length };
      return { version: 2, kind, summary, reason: null, traits, footprint: null };
    },
    hashStep: async (path) =>
      createHash("sha256")
        .update(path)
        .update(await content(path))
        .digest("hex"),
    close: () => Promise.resolve(),
  };
}
