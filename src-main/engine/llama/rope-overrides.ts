import type { LoadOptions } from "../../contract/model-settings.ts";
import type { GgufHeader } from "../../gguf/gguf-header.ts";
import { numberValue, textValue } from "../../gguf/gguf-values.ts";
import type { RopeSettings } from "../kv/fingerprint.ts";

export interface RopeOverrides {
  /** What differs from the file: what is asked for as the file says anyway gives the same keys. */
  readonly settings: Pick<RopeSettings, "frequencyBase" | "frequencyScale">;
  /** Metadata to load the file with. */
  readonly metadata: Readonly<Record<string, object>>;
}

/** llama.cpp takes both from the metadata alone: the library has no option for them. */
export function ropeOverrides(
  header: GgufHeader,
  { ropeFrequencyBase, ropeFrequencyScale }: Pick<LoadOptions, "ropeFrequencyBase" | "ropeFrequencyScale">,
): RopeOverrides {
  const architecture = textValue(header, "general.architecture") ?? "";
  const own = (key: string) => numberValue(header, `${architecture}.rope.${key}`);
  const isScaled = textValue(header, `${architecture}.rope.scaling.type`) !== "none";
  const factor = own("scaling.factor") ?? own("scale_linear") ?? 0;
  const frequencyBase = unless(ropeFrequencyBase, own("freq_base") ?? 10_000);
  const frequencyScale = unless(ropeFrequencyScale, isScaled && factor !== 0 ? 1 / factor : 1);
  const scaling =
    frequencyScale === null
      ? {}
      : { scaling: { factor: asFloat(1 / frequencyScale), ...(isScaled ? {} : { type: "linear" }) } };
  const base = frequencyBase === null ? {} : { freq_base: asFloat(frequencyBase) };
  const rope = { ...base, ...scaling };
  const metadata = Object.keys(rope).length === 0 ? {} : { [architecture]: { rope } };
  return { settings: { frequencyBase, frequencyScale }, metadata };
}

/** Files and llama.cpp know these numbers with 24 bits. */
function unless(wanted: number | null, own: number): number | null {
  return wanted !== null && Math.fround(wanted) === Math.fround(own) ? null : wanted;
}

/**
 * The library hands whole numbers on as integers, which llama.cpp refuses here without a word to the caller. So much
 * more is nothing to a number of 24 bits.
 */
function asFloat(value: number): number {
  return Number.isInteger(value) ? value * (1 + 2 ** -40) : value;
}
