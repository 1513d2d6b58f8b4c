import { ORPCError } from "@orpc/client";
import { expect, test, vi } from "vitest";
import { SpeedMeasurement } from "../../../src-renderer/state/speed-measurement.svelte.ts";
import { openConnection } from "../../helpers/fake-connection.ts";

type Measure = (input: { modelId: string }, options: { signal: AbortSignal }) => Promise<unknown>;

async function measurementWith(measure: Measure) {
  return new SpeedMeasurement(await openConnection({ models: { measure } }));
}

/** Lasts until it is ended. */
const endless: Measure = (_, { signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => {
      reject(new Error("aborted"));
    });
  });

test("one model is measured at a time", async () => {
  const measure = vi.fn<Measure>(endless);
  const measurement = await measurementWith(measure);
  const first = measurement.measure("q4");
  await measurement.measure("q8");
  expect(measurement.modelId).toBe("q4");
  expect(measure.mock.calls.map(([input]) => input)).toEqual([{ modelId: "q4" }]);
  measurement.cancel();
  await first;
  expect(measurement.modelId).toBeNull();
});

test("what was cancelled is no failure", async () => {
  const measurement = await measurementWith(endless);
  const measured = measurement.measure("q4");
  measurement.cancel();
  await measured;
  expect(measurement.failureOf("q4")).toBeNull();
});

test("a failure stays with its model until another is measured", async () => {
  const measure = vi.fn<Measure>(() =>
    Promise.reject(new ORPCError("ENGINE_CRASHED", { message: "It crashed.", data: { cause: "SIGKILL" } })),
  );
  const measurement = await measurementWith(measure);
  await measurement.measure("q4");
  expect(measurement.failureOf("q4")).toMatchObject({ code: "ENGINE_CRASHED" });
  expect(measurement.failureOf("q8")).toBeNull();
  measure.mockResolvedValue({});
  await measurement.measure("q8");
  expect(measurement.failureOf("q4")).toBeNull();
});
