import { expect, test } from "vitest";
import { defaultLoadOptions } from "../../../src-main/contract/model-settings.ts";
import { effectBytes, withoutEach } from "../../../src-renderer/models/load-options-form.ts";
import { samplePlan } from "../../helpers/sample-plan.ts";

test("only what is not as usual, and costs memory, is compared", () => {
  expect(withoutEach("/a", defaultLoadOptions)).toEqual({});

  const options = { ...defaultLoadOptions, keyType: "q8_0" as const, contextTokens: 4_096, useMlock: true };
  expect(withoutEach("/a", options)).toEqual({
    contextTokens: { path: "/a", options: { ...options, contextTokens: null } },
    keyType: { path: "/a", options: { ...options, keyType: "f16" } },
  });
});

test("an option's effect is what the model takes with it, less what it takes without", () => {
  const others = { keyType: samplePlan({ totalBytes: 5e9 }) };
  expect(effectBytes(samplePlan({ totalBytes: 4e9 }), others, "keyType")).toBe(-1e9);
  expect(effectBytes(samplePlan(), others, "valueType")).toBeNull();
  expect(effectBytes(null, others, "keyType")).toBeNull();
});
