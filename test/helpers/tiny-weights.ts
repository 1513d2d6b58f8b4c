/// <reference lib="esnext.float16" />
import type { GgufTensor } from "./gguf-writer.ts";

export interface Weights {
  /** F16, spread evenly around zero with a standard deviation of `gain / √inputs`. */
  matrix(name: string, inputs: number, outputs: number, gain: number): GgufTensor;
  /** F32, all `value`; 1 where it is not given. */
  norm(name: string, length: number, value?: number): GgufTensor;
}

/** The same weights for the same seed and the same order of calls, on every machine. */
export function seededWeights(seed: number): Weights {
  const random = mulberry32(seed);
  return {
    matrix: (name, inputs, outputs, gain) => {
      const range = gain * Math.sqrt(3 / inputs);
      const values = Float16Array.from({ length: inputs * outputs }, () => (random() * 2 - 1) * range);
      return { name, shape: [inputs, outputs], values };
    },
    norm: (name, length, value = 1) => ({ name, shape: [length], values: new Float32Array(length).fill(value) }),
  };
}

/** Tommy Ettinger's Mulberry32: 32 bits of state, numbers in [0, 1). */
function mulberry32(seed: number): () => number {
  const step = 0x6d2b79f5;
  const state = new Uint32Array([seed]);
  return () => {
    const sum = (state[0] ?? 0) + step;
    state[0] = sum;
    const first = Math.imul(sum ^ (sum >>> 15), 1 | sum);
    const second = (first + Math.imul(first ^ (first >>> 7), 61 | first)) ^ first;
    return ((second ^ (second >>> 14)) >>> 0) / 2 ** 32;
  };
}
