import { expect, test } from "vitest";
import { shelves } from "../../../src-renderer/models/shelves.ts";
import { withoutQuotes } from "../../../src-renderer/models/without-quotes.ts";
import { sampleModelFile } from "../../helpers/sample-model-file.ts";

test("what is on no family's card is told apart by what it is", () => {
  const problem = { code: "MODEL_INVALID", message: "It is incomplete.", data: {} };
  const files = [
    sampleModelFile({ id: "level", familyId: "f" }),
    sampleModelFile({ id: "broken level", familyId: "f", problem }),
    sampleModelFile({ id: "adapter", kind: "adapter", problem }),
    sampleModelFile({ id: "projector", kind: "projector", problem }),
    sampleModelFile({ id: "broken", problem }),
    sampleModelFile({ id: "unread" }),
  ];
  const { companions, unusable, unread } = shelves(files);
  expect([companions, unusable, unread].map((shelf) => shelf.map(({ id }) => id))).toEqual([
    ["adapter", "projector"],
    ["broken"],
    ["unread"],
  ]);
});

test.each([
  [' "C:\\models\\a b.gguf" ', "C:\\models\\a b.gguf"],
  ["'/models/a.gguf'", "/models/a.gguf"],
  ["/models/it's.gguf", "/models/it's.gguf"],
])("%s is the path %s", (typed, path) => {
  expect(withoutQuotes(typed)).toBe(path);
});
