import { RepriseError } from "../contract/errors.ts";

/** `reason`: a clause that fits after a colon; without a full stop. */
export function quantizeFailed(reason: string): RepriseError<"QUANTIZE_FAILED"> {
  const sentence = `The quantization could not be made: ${reason}. The model it was to be made from was left as it is.`;
  return new RepriseError("QUANTIZE_FAILED", sentence, { reason });
}

const marker = /failed to quantize: (.*)$/;

/** Why the library gave up, from its log. */
export function reasonInLog(log: string): string {
  const lines = log.split("\n").map((line) => line.trim());
  const told = lines.findLast((line) => marker.test(line));
  const reason = (told === undefined ? lines.findLast((line) => line !== "") : marker.exec(told)?.[1]) ?? "";
  return reason.trim().replace(/\.$/, "") || "the engine's library did not say why";
}
