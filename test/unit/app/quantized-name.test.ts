import { expect, test } from "vitest";
import { quantizedName } from "../../../src-main/app/quantized-name.ts";

test.each([
  ["/models/Tiny-F16.gguf", "Tiny-Q4_K_M.gguf"],
  ["/models/Tiny-1.1B.fp16.gguf", "Tiny-1.1B.Q4_K_M.gguf"],
  ["/models/tiny_q8_0.GGUF", "tiny-Q4_K_M.gguf"],
  ["/models/Tiny.gguf", "Tiny-Q4_K_M.gguf"],
  ["/models/Tiny-v1.5.gguf", "Tiny-v1.5-Q4_K_M.gguf"],
  ["/models/Big-BF16-00001-of-00003.gguf", "Big-Q4_K_M.gguf"],
  ["/models/Q8_0.gguf", "Q8_0-Q4_K_M.gguf"],
  ["/models/no ending", "no ending-Q4_K_M.gguf"],
])("%s becomes %s", (source, name) => {
  expect(quantizedName(source, "Q4_K_M")).toBe(name);
});
