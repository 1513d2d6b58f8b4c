import type { Quantization } from "../../src-main/contract/quantization.ts";
import { errorText } from "../errors/error-text.ts";
import { formatBytes, formatPercent, formatWholeDuration } from "../format/numbers.ts";
import { m } from "../paraglide/messages.js";

/** `model.gguf → Q4_K_M` */
export function quantizationName({ sourcePath, level }: Quantization): string {
  return `${sourcePath.split(/[\\/]/).at(-1) ?? sourcePath} → ${level}`;
}

/** How far it is, or what became of it: one line. */
export function quantizationText(quantization: Quantization): string {
  const { state, fraction, secondsLeft, predictedBytes, bytes, error } = quantization;
  switch (state) {
    case "waiting":
      return m.quantization_waiting();
    case "running":
      return [
        m.quantization_running({ percent: formatPercent(fraction), size: formatBytes(predictedBytes) }),
        ...(secondsLeft === null ? [] : [m.time_left({ left: formatWholeDuration(secondsLeft * 1_000) })]),
      ].join(" · ");
    case "done":
      return m.quantization_done({ size: formatBytes(bytes ?? predictedBytes) });
    case "cancelled":
      return m.quantization_cancelled();
    case "failed":
      return error === null ? m.quantization_cancelled() : errorText(error);
  }
}
