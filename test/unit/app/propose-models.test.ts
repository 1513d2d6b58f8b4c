import { describe, expect, test } from "vitest";
import { foreseeModel, machineSpeed, type MachineSpeed } from "../../../src-main/app/foresee-model.ts";
import { proposeModels } from "../../../src-main/app/propose-models.ts";
import {
  fitOf,
  foreseenFileBytes,
  foreseenMemoryBytes,
  foreseenWeights,
} from "../../../src-main/contract/machine-fit.ts";
import { ModelCatalogue } from "../../../src-main/models/model-catalogue.ts";

const entries = await new ModelCatalogue().entries();
const gigabyte = 1e9;

function machineWith(freeBytes: number, totalBytes = 2 * freeBytes) {
  return { totalBytes, freeBytes, reserveBytes: 0.5 * gigabyte };
}

/** A machine that decodes so many gigabytes a second. */
function speedOf(gigabytesPerSecond: number): MachineSpeed {
  return { bytesPerSecond: gigabytesPerSecond * gigabyte, weightsPerSecond: 40 * gigabyte };
}

function proposed(freeGigabytes: number, speed: MachineSpeed | null, here: readonly string[] = []) {
  const machine = machineWith(freeGigabytes * gigabyte);
  const forecasts = entries.map((entry) => foreseeModel(entry, machine, speed, here.includes(entry.id)));
  return proposeModels(entries, forecasts).map(({ catalogueId, reason }) => [reason, catalogueId]);
}

describe("what a model would be", () => {
  test.each([
    ["SmolLM2 135M", 134.5e6, 105e6],
    ["Qwen3 0.6B", 596e6, 397e6],
    ["SmolLM2 1.7B", 1.71e9, 1.06e9],
    ["Llama 3.2 3B", 3.21e9, 2.02e9],
    ["Llama 3.1 8B", 8.03e9, 4.92e9],
    ["Qwen3 30B-A3B", 30.5e9, 18.6e9],
  ])("the published Q4_K_M file of %s is within a tenth of what is foreseen", (_name, weights, bytes) => {
    expect(Math.abs(foreseenFileBytes(weights, 4.89) / bytes - 1)).toBeLessThan(0.1);
    expect(foreseenWeights(foreseenFileBytes(weights, 4.89), 4.89)).toBeCloseTo(weights, -1);
  });

  test("its memory has room for a conversation and for computing beside the weights", () => {
    expect(foreseenMemoryBytes(5e9)).toBe(5e9 + 150_000 * 8_192 + 300e6);
    expect(foreseenMemoryBytes(100e6, 134.5e6)).toBe(100e6 + 26_900 * 8_192 + 300e6);
    expect(foreseenMemoryBytes(1)).toBe(1 + 300e6);
  });

  test("it fits now, or when other programs have ended, or never", () => {
    const machine = machineWith(4 * gigabyte, 8 * gigabyte);
    expect([3.5, 3.51, 7.5, 7.51].map((size) => fitOf(size * gigabyte, machine))).toEqual([
      "now",
      "later",
      "later",
      "never",
    ]);
  });

  test("decoding goes as fast as its bytes can be read, reading as fast as its weights can be computed with", () => {
    const sizeBytes = foreseenFileBytes(1e9, 8.5);
    const measured = {
      modelName: "M",
      sizeBytes,
      prefillTokensPerSecond: 180,
      decodeTokensPerSecond: 50,
      underLoad: false,
    };
    const speed = machineSpeed(measured, "Q8_0");
    expect(speed.bytesPerSecond).toBe(50 * sizeBytes);
    expect(speed.weightsPerSecond).toBeCloseTo(180e9, -3);

    const [small, experts] = ["qwen3-1.7b", "qwen3-30b-a3b"].map((id) => entries.find((entry) => entry.id === id));
    if (small === undefined || experts === undefined) throw new Error("The catalogue has changed.");
    const foreseen = foreseeModel(small, machineWith(8 * gigabyte), speed, false);
    expect(foreseen.decodeTokensPerSecond).toBeCloseTo((50 * sizeBytes) / foreseenFileBytes(1.72e9, 4.89));
    expect(foreseen.prefillTokensPerSecond).toBeCloseTo(180e9 / 1.72e9);
    // Of a mixture only the active part is read and computed with.
    const mixture = foreseeModel(experts, machineWith(8 * gigabyte), speed, false);
    expect(mixture.decodeTokensPerSecond).toBeCloseTo((50 * sizeBytes) / foreseenFileBytes(3.3e9, 4.89));
    expect(mixture).toMatchObject({ level: "Q4_K_M", fit: "never" });
  });
});

describe("what is proposed", () => {
  test("the largest that fits and is not slow, one that takes clearly less, and a quick one", () => {
    expect(proposed(10, speedOf(40))).toEqual([
      ["strongest", "qwen3-8b"],
      ["balanced", "gemma3-4b"],
      ["quickest", "smollm2-1.7b"],
    ]);
  });

  test("a mixture of experts, where it fits, is quick for its size", () => {
    expect(proposed(32, speedOf(20))[0]).toEqual(["strongest", "qwen3-30b-a3b"]);
  });

  test("nothing larger than a slow machine can answer with at a reader's pace", () => {
    const ids = proposed(32, speedOf(2)).map(([, id]) => id);
    expect(ids).toEqual(["smollm2-360m"]);
  });

  test("while no speed is known, nothing that may turn out slow", () => {
    const ids = proposed(64, null).map(([, id]) => entries.find((entry) => entry.id === id));
    expect(ids).toHaveLength(3);
    for (const entry of ids) expect(entry?.activeParameters ?? entry?.parameters).toBeLessThan(4.5e9);
  });

  test("nothing that is here already, and nothing at all where nothing fits", () => {
    expect(proposed(10, speedOf(40), ["qwen3-8b", "gemma3-4b"])).toEqual([
      ["strongest", "llama3.1-8b"],
      ["balanced", "qwen3-4b"],
      ["quickest", "smollm2-1.7b"],
    ]);
    expect(proposed(0.6, speedOf(40))).toEqual([]);
  });

  test("on any machine they fit, are different, and each takes clearly less than the one before", () => {
    for (const freeGigabytes of [1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 48, 96]) {
      for (const bandwidth of [null, 1, 5, 10, 30, 100, 500]) {
        const machine = machineWith(freeGigabytes * gigabyte);
        const speed = bandwidth === null ? null : speedOf(bandwidth);
        const forecasts = entries.map((entry) => foreseeModel(entry, machine, speed, false));
        const chosen = proposeModels(entries, forecasts).flatMap(({ catalogueId }) =>
          forecasts.filter((forecast) => forecast.catalogueId === catalogueId),
        );
        expect(chosen.length).toBeLessThanOrEqual(3);
        for (const [index, { fit, sizeBytes }] of chosen.entries()) {
          expect(fit).toBe("now");
          const before = chosen[index - 1];
          if (before !== undefined) expect(sizeBytes).toBeLessThanOrEqual(0.6 * before.sizeBytes);
        }
      }
    }
  });
});
