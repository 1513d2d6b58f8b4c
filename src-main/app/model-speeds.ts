/**
 * How fast model files compute on this machine, as it was measured when they were loaded. Valid for a file as long as it
 * stays the same, and for this processor. It owns what the store says of them.
 */
import { cpus } from "node:os";
import { isDeepStrictEqual } from "node:util";
import type { LoadOptions } from "../contract/model-settings.ts";
import type { ModelSpeed } from "../contract/model-switch.ts";
import type { ThreadTuning } from "../contract/model.ts";
import { stampKey, type FileStamp } from "./file-stamp.ts";
import type { ModelFileStore } from "./ports.ts";

type Measurement = NonNullable<ReturnType<ModelFileStore["tuning"]>>;

export class ModelSpeeds {
  readonly #store: Pick<ModelFileStore, "tuning" | "setTuning">;
  readonly #known = new Map<string, Measurement | null>();
  #onMeasured: () => void = () => undefined;

  constructor(store: Pick<ModelFileStore, "tuning" | "setTuning">) {
    this.#store = store;
  }

  /** Called whenever another speed is known. */
  onMeasured(listener: () => void): void {
    this.#onMeasured = listener;
  }

  /** `null` where it was never measured. */
  of(file: FileStamp, options: Pick<LoadOptions, "threads">): ModelSpeed | null {
    const measurement = this.#find(keyOf(file));
    return measurement === null ? null : speedOf(measurement, options);
  }

  /** What a load goes by; `null` where it is to measure. */
  tuning(file: FileStamp): ThreadTuning | null {
    const tuning = this.#find(keyOf(file))?.tuning ?? null;
    return tuning?.underLoad === true ? null : tuning;
  }

  /** Throws STORAGE_FAILED; it is known all the same. A model that was still in memory brings what is known already. */
  keep(file: FileStamp, tuning: ThreadTuning): void {
    const key = keyOf(file);
    if (isDeepStrictEqual(this.#find(key)?.tuning, tuning)) return;
    this.#known.set(key, { tuning, measuredAt: Date.now() });
    this.#onMeasured();
    this.#store.setTuning(key, tuning);
  }

  #find(key: string): Measurement | null {
    const known = this.#known.get(key) ?? this.#store.tuning(key);
    this.#known.set(key, known);
    return known;
  }
}

/** With the threads it is used with, or those measured that are nearest to them. */
function speedOf({ tuning, measuredAt }: Measurement, { threads }: Pick<LoadOptions, "threads">): ModelSpeed | null {
  const wanted = threads ?? tuning;
  const nearest = (count: number) =>
    tuning.measured.toSorted((one, other) => Math.abs(one.threads - count) - Math.abs(other.threads - count))[0];
  const [prefill, decode] = [nearest(wanted.prefill), nearest(wanted.decode)];
  if (prefill === undefined || decode === undefined) return null;
  return {
    prefillTokensPerSecond: prefill.prefillTokensPerSecond,
    decodeTokensPerSecond: decode.decodeTokensPerSecond,
    measuredAt,
    underLoad: tuning.underLoad === true,
  };
}

/** Threads that were best on one processor say nothing about another. */
function keyOf(file: FileStamp): string {
  const processors = cpus();
  return `${stampKey(file)}|${processors[0]?.model ?? "unknown"}|${processors.length}`;
}
