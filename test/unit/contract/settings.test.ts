import { expect, test } from "vitest";
import { settingsPatchSchema } from "../../../src-main/contract/settings.ts";

test("a patch holds what was sent and no defaults, which would undo the other settings", () => {
  expect(settingsPatchSchema.parse({ theme: "dark" })).toEqual({ theme: "dark" });
});
