import { expect, test } from "vitest";
import { chosenFolders } from "../../../src-main/desktop/chosen-folders.ts";

test("the folders of the command line are found among Electron's own words", () => {
  const words = [
    "/opt/electron",
    "/work/reprise",
    "--inspect=9229",
    "--data",
    "/tmp/a b",
    "--models=/m",
    "--no-sandbox",
  ];
  expect(chosenFolders(words)).toEqual({ data: "/tmp/a b", models: "/m" });
});

test("there is none where none was named", () => {
  expect(chosenFolders(["/opt/Reprise"])).toEqual({ data: null, models: null });
  expect(chosenFolders(["/opt/Reprise", "--data", "", "--models"])).toEqual({ data: null, models: null });
});
