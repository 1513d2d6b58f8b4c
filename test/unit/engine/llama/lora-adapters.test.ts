import { join } from "node:path";
import { expect, test } from "vitest";
import { loraAdapters } from "../../../../src-main/engine/llama/lora-adapters.ts";
import { codedError } from "../../../helpers/coded-error.ts";
import { ggufHeaderOf } from "../../../helpers/gguf-header-of.ts";
import { temporaryFolder } from "../../../helpers/temporary-folder.ts";
import { writeTinyLora } from "../../../helpers/tiny-lora.ts";

const model = ggufHeaderOf({ "general.architecture": "llama" }, { "blk.0.attn_v.weight": [128, 64] });
const adapter = async (options: Parameters<typeof writeTinyLora>[1] = {}) =>
  writeTinyLora(join(temporaryFolder(), "adapter.gguf"), options);

test("an adapter for the model is taken; one without strength is not looked at", async () => {
  const path = await adapter();
  expect(loraAdapters(model, [{ path, scale: -0.5 }])).toEqual([{ path, scale: -0.5, sizeBytes: 1_536 }]);
  expect(loraAdapters(model, [{ path: "/gone.gguf", scale: 0 }])).toEqual([]);
});

test.each([
  ["one of another kind", { metadata: { "adapter.type": "control-vector" } }],
  ["one that works behind certain words only", { metadata: { "adapter.alora.invocation_tokens": [1, 2] } }],
])("%s is refused", async (_, options) => {
  const path = await adapter(options);
  expect(() => loraAdapters(model, [{ path, scale: 1 }])).toThrow(
    codedError("OPTIONS_REFUSED", { problem: "adapter-unusable" }),
  );
});

test("one that changes what the model has not is of another model, unless the rest lies in other files", async () => {
  const loras = [{ path: await adapter({ target: "blk.7.attn_v.weight" }), scale: 1 }];
  expect(() => loraAdapters(model, loras)).toThrow(
    codedError("OPTIONS_REFUSED", { problem: "adapter-of-other-model" }),
  );
  const part = ggufHeaderOf({ "general.architecture": "llama", "split.count": 3 });
  expect(loraAdapters(part, loras)).toHaveLength(1);
});
