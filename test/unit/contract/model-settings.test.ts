import { expect, test } from "vitest";
import {
  defaultFamilySettings,
  defaultLoadOptions,
  familySettingsPatchSchema,
  loadOptionsPatchSchema,
  loadOptionsSchema,
} from "../../../src-main/contract/model-settings.ts";

test("nothing set means: as the file, the machine and the measurements say", () => {
  expect(defaultLoadOptions).toEqual({
    contextTokens: null,
    keyType: "f16",
    valueType: "f16",
    flashAttention: "auto",
    gpuLayers: "auto",
    threads: null,
    useMmap: true,
    useMlock: false,
    ropeFrequencyBase: null,
    ropeFrequencyScale: null,
    loras: [],
  });
  expect(defaultFamilySettings).toEqual({ sampling: null, systemPrompt: null, chatTemplate: null });
});

test("a patch holds what it names and no defaults", () => {
  expect(loadOptionsPatchSchema.parse({ keyType: "q8_0" })).toEqual({ keyType: "q8_0" });
  expect(familySettingsPatchSchema.parse({ chatTemplate: null })).toEqual({ chatTemplate: null });
});

test.each([
  { contextTokens: 255 },
  { keyType: "q2_k" },
  { gpuLayers: -1 },
  { gpuLayers: "all" },
  { threads: { prefill: 0, decode: 1 } },
  { ropeFrequencyBase: 0 },
  { loras: [{ path: "", scale: 1 }] },
])("%o is refused", (options) => {
  expect(loadOptionsSchema.safeParse(options).success).toBe(false);
});
