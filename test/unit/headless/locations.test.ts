import { join } from "node:path";
import { expect, test } from "vitest";
import { locate } from "../../../src-main/headless/locations.ts";

const root = join("/", "app");
const all = () => true;

test("from the sources, the engine is a source and the pages are built", () => {
  expect(locate(join(root, "src-main", "headless", "locations.ts"), all)).toEqual({
    engineEntry: join(root, "src-main", "engine", "entry.ts"),
    quantizerEntry: join(root, "src-main", "quantize", "entry.ts"),
    rendererFolder: join(root, "out", "renderer"),
  });
});

test.each([
  ["reprise.js", join(root, "out", "main", "reprise.js")],
  ["a shared chunk", join(root, "out", "main", "chunks", "locations-abc.js")],
])("from the built %s, everything lies in the output", (_, file) => {
  expect(locate(file, all)).toEqual({
    engineEntry: join(root, "out", "main", "engine.js"),
    quantizerEntry: join(root, "out", "main", "quantizer.js"),
    rendererFolder: join(root, "out", "renderer"),
  });
});

test("pages that are not built are none", () => {
  expect(locate(join(root, "out", "main", "reprise.js"), () => false).rendererFolder).toBeNull();
});
