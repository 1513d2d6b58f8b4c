import { expect, test } from "vitest";
import { renderProposals } from "../../../src-main/headless/models-proposals.ts";
import { sampleEntry, sampleProposals } from "../../helpers/sample-offers.ts";

const measured = {
  modelName: "SmolLM2",
  sizeBytes: 98e6,
  prefillTokensPerSecond: 301,
  decodeTokensPerSecond: 71.2,
  underLoad: false,
};

test("a proposal is named with what it would take, and what its speed is reckoned from", () => {
  expect(renderProposals(sampleProposals({ measured }), [sampleEntry()])).toBe(
    "qwen3-4b: Qwen3 4B Q4_K_M, about 2.5 GB, 4.0 GB of memory, about 12 tokens/s (the strongest that fits)\n" +
      "All of it is estimated. 8.0 GB of memory are free, 1.0 GB of them stay so. " +
      "Speeds are reckoned from SmolLM2, measured here at 71.2 tokens/s.",
  );
});

test("where nothing suits, that is said", () => {
  expect(renderProposals(sampleProposals({ proposals: [] }), [sampleEntry()])).toContain(
    "Nothing of the catalogue suits this machine better than what is here.",
  );
});
