import { expect, test } from "vitest";
import { reasonInLog } from "../../../src-main/quantize/quantize-failed.ts";

test.each([
  ["what: failed to quantize: unknown model architecture: 'x'\n", "unknown model architecture: 'x'"],
  ["[ 1/ 2] a - \nf: failed to quantize: basic_ios::clear: iostream error.\n\n", "basic_ios::clear: iostream error"],
  ["gguf_init: bad magic\n", "gguf_init: bad magic"],
  ["\n", "the engine's library did not say why"],
])("of the log %j the reason is told", (log, reason) => {
  expect(reasonInLog(log)).toBe(reason);
});
