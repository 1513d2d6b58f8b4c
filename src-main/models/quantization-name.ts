/** Quantization levels as file names spell them. What a file really holds is in its metadata; this is before it is here. */

const spelled = String.raw`(?:UD-)?I?Q\d(?:_(?:\d|[KSML]|XL|XS|XXS|NL))*|TQ\d_\d|MXFP4(?:_MOE)?|NVFP4|BF16|F16|F32|FP16|FP32`;
/** Apart from the rest of the name, so that `Qwen3` and `q8bit` are none. */
const inName = new RegExp(`(?<![0-9A-Z])(?:${spelled})(?![0-9A-Z])`, "gi");

/** `Q4_K_M` of `Model-7B-q4_k_m.gguf`; the last where a name has several, `null` where it has none. */
export function quantizationOf(path: string): string | null {
  const last = path.match(inName)?.at(-1)?.toUpperCase();
  return last?.replace(/^FP/, "F") ?? null;
}

/** What each digit's variants add to it, about. */
const extraBits: Readonly<Record<string, number>> = {
  XXS: 0.1,
  XS: 0.3,
  NL: 0.5,
  "0": 0.5,
  K_S: 0.55,
  S: 0.5,
  M: 0.7,
  K: 0.7,
  K_M: 0.85,
  K_L: 0.95,
  K_XL: 1,
  "1": 1,
};

/** Bits per weight, about: enough to say which of two levels is nearer to a third. `null` for what is none. */
export function approximateBits(quantization: string): number | null {
  const name = quantization.toUpperCase();
  const whole = /^B?F(\d+)$/.exec(name)?.[1];
  if (whole !== undefined) return Number(whole);
  if (/^(MX|NV)FP4/.test(name)) return 4.3;
  const [, ternary] = /^TQ(\d)/.exec(name) ?? [];
  if (ternary !== undefined) return Number(ternary) + 0.5;
  const [, digit, variant = ""] = /Q(\d)_?(.*)$/.exec(name) ?? [];
  return digit === undefined ? null : Number(digit) + (extraBits[variant] ?? 0.6);
}
