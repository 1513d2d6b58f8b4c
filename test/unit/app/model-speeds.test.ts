import { expect, test } from "vitest";
import { ModelSpeeds } from "../../../src-main/app/model-speeds.ts";
import { RepriseError } from "../../../src-main/contract/errors.ts";
import type { ThreadTuning } from "../../../src-main/contract/model.ts";
import { openTestStore } from "../../helpers/open-test-store.ts";

const file = { path: "/m/a.gguf", sizeBytes: 1, modifiedMs: 2 };
const asMeasured = { threads: null };
const tuning: ThreadTuning = {
  prefill: 4,
  decode: 2,
  measured: [
    { threads: 1, prefillTokensPerSecond: 10, decodeTokensPerSecond: 5 },
    { threads: 2, prefillTokensPerSecond: 19, decodeTokensPerSecond: 8 },
    { threads: 4, prefillTokensPerSecond: 36, decodeTokensPerSecond: 7 },
  ],
};

test("a file is as fast as it was with the threads it is used with", () => {
  const { modelFiles } = openTestStore();
  const speeds = new ModelSpeeds(modelFiles);
  expect(speeds.of(file, asMeasured)).toBeNull();
  speeds.keep(file, tuning);
  expect(speeds.of(file, asMeasured)).toMatchObject({ prefillTokensPerSecond: 36, decodeTokensPerSecond: 8 });
  const threads = { prefill: 1, decode: 8 };
  expect(speeds.of(file, { threads })).toMatchObject({ prefillTokensPerSecond: 10, decodeTokensPerSecond: 7 });
  expect(speeds.of({ ...file, modifiedMs: 3 }, asMeasured)).toBeNull();
  // Another start of the app.
  expect(new ModelSpeeds(modelFiles).of(file, asMeasured)).toMatchObject({ prefillTokensPerSecond: 36 });
});

test("what was measured under load is shown as that, and measured again", () => {
  const speeds = new ModelSpeeds(openTestStore().modelFiles);
  speeds.keep(file, { ...tuning, underLoad: true });
  expect(speeds.of(file, asMeasured)).toMatchObject({ underLoad: true });
  expect(speeds.tuning(file)).toBeNull();
  speeds.keep(file, tuning);
  expect(speeds.tuning(file)).toEqual(tuning);
});

test("where it cannot be stored it is known until the app is closed, and whoever shows it is told", () => {
  const full = () => {
    throw new RepriseError("STORAGE_FAILED", "The disk is full.", { reason: "disk-full", detail: "" });
  };
  const speeds = new ModelSpeeds({ tuning: () => null, setTuning: full });
  let told = 0;
  speeds.onMeasured(() => {
    told += 1;
  });
  expect(() => {
    speeds.keep(file, tuning);
  }).toThrow("The disk is full.");
  expect(speeds.of(file, asMeasured)).not.toBeNull();
  // Nothing was measured anew.
  speeds.keep(file, tuning);
  expect(told).toBe(1);
});
