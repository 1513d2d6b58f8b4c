import { basename } from "node:path";
import { expect, test } from "vitest";
import { defaultModelFile } from "../../src-main/models/default-model-file.ts";
import { sha256OfFile } from "../../src-main/models/verified-file.ts";
import { defaultModelPath } from "../helpers/default-model.ts";

test("the default model can be had, and is the published file to the last byte", async () => {
  const path = await defaultModelPath();
  expect(basename(path)).toBe(defaultModelFile.fileName);
  expect(await sha256OfFile(path)).toBe(defaultModelFile.sha256);
});
