import { describe, expect, test } from "vitest";
import { defaultSampling, samplingSchema } from "../../../src-main/contract/conversation.ts";
import { samplingFields, withValues } from "../../../src-renderer/chat/sampling-fields.ts";

describe("the settings of a conversation", () => {
  test("have the limits of the contract", () => {
    for (const { key, min, max } of samplingFields) {
      const accepts = (value: number) => samplingSchema.shape[key].safeParse(value).success;
      expect(accepts(min), `${key} ${min}`).toBe(true);
      expect(accepts(min - 1), `${key} below`).toBe(false);
      if (max === null) continue;
      expect(accepts(max), `${key} ${max}`).toBe(true);
      expect(accepts(max + 1), `${key} above`).toBe(false);
    }
  });

  test("may be empty exactly where the contract takes nothing", () => {
    for (const { key, whenEmpty } of samplingFields) {
      expect(samplingSchema.shape[key].safeParse(null).success, key).toBe(whenEmpty !== undefined);
    }
  });

  test("keep what the form does not show", () => {
    const sampling = { ...defaultSampling, stop: ["###"], repeatPenaltyTokens: 10 };
    expect(samplingSchema.parse(withValues(sampling, { ...sampling, temperature: 0, seed: undefined }))).toEqual({
      ...sampling,
      temperature: 0,
      seed: null,
    });
  });
});
