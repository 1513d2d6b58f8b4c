import { expect, test } from "vitest";
import { describeExit } from "../../../src-main/engine-host/exit-cause.ts";

test("a failed assertion of the native library is the cause, wherever it stands in the output", () => {
  const output = "load: done\nggml.c:99: GGML_ASSERT(n > 0) failed\nsome thread said goodbye\n";
  expect(describeExit({ code: null, signal: "SIGABRT", output })).toBe(
    "it was ended by SIGABRT: ggml.c:99: GGML_ASSERT(n > 0) failed",
  );
});

test("of an uncaught error the line with the error is told, not the stack below it", () => {
  const output = `file:///engine.ts:3
    throw new TypeError("nothing here");
          ^

TypeError: nothing here
    at load (file:///engine.ts:3:9)
    at main (file:///engine.ts:9:1)

Node.js v24.21.0
`;
  expect(describeExit({ code: 1, signal: null, output })).toBe("it ended with code 1: TypeError: nothing here");
});

test("a kill without a word hints at memory", () => {
  expect(describeExit({ code: null, signal: "SIGKILL", output: "" })).toBe(
    "it was killed (SIGKILL); the system may have run out of memory",
  );
});

test("a process that never was says why it could not be started", () => {
  expect(describeExit({ code: null, signal: null, output: "spawn ENOENT\n" })).toBe(
    "it could not be started: spawn ENOENT",
  );
});

test("a very long line is cut", () => {
  expect(describeExit({ code: 3, signal: null, output: "x".repeat(5_000) }).length).toBeLessThan(400);
});
