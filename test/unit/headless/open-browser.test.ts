import { expect, test } from "vitest";
import { browserCommand } from "../../../src-main/headless/open-browser.ts";

test.each([
  ["linux", "xdg-open"],
  ["darwin", "open"],
  ["win32", "rundll32"],
] as const)("%s opens an address, whole and as one argument, with %s", (platform, program) => {
  const command = browserCommand(platform, "http://127.0.0.1:4000/#token=a&b");
  expect(command[0]).toBe(program);
  expect(command.at(-1)).toBe("http://127.0.0.1:4000/#token=a&b");
});
