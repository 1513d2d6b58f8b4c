/** The memory of a conversation's turns, one after the other, for the chart. All in bytes. */
import type { Message } from "../../src-main/contract/conversation.ts";

const layers = ["weights", "kv", "compute"] as const;
export type Layer = (typeof layers)[number];

export interface MemoryPoint {
  /** Which of the thread's answers it is, from 1. */
  readonly turn: number;
  readonly bytes: Readonly<Record<Layer, number>>;
}

export function memorySeries(messages: readonly Message[]): readonly MemoryPoint[] {
  return messages
    .filter(({ role }) => role === "assistant")
    .flatMap(({ report }, index) => {
      if (report === null) return [];
      const { weights, kvLive, computeBuffers } = report.memory;
      return [{ turn: index + 1, bytes: { weights, kv: kvLive, compute: computeBuffers } }];
    });
}

export function totalBytes({ bytes }: MemoryPoint): number {
  return layers.reduce((sum, layer) => sum + bytes[layer], 0);
}

/** Where each layer ends above the ones below it, point by point. */
export function stackedBytes(points: readonly MemoryPoint[]): readonly {
  readonly layer: Layer;
  readonly from: readonly number[];
  readonly to: readonly number[];
}[] {
  return layers.map((layer, index) => {
    const below = (point: MemoryPoint) => layers.slice(0, index).reduce((sum, other) => sum + point.bytes[other], 0);
    return { layer, from: points.map(below), to: points.map((point) => below(point) + point.bytes[layer]) };
  });
}

/** Round values from 0 up to the first one that is at least `most`; about `count` steps. */
export function roundTicks(most: number, count: number): readonly number[] {
  if (most <= 0) return [0];
  const rough = most / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, index) => index * step);
}

/** At most `count` turns to write below the axis, evenly spaced from the first one on. */
export function turnTicks(turns: readonly number[], count: number): readonly number[] {
  const step = Math.ceil(turns.length / Math.max(1, count));
  return turns.filter((_, index) => index % step === 0);
}
